"""Pictures: functions from data frames to matplotlib Figures; nothing global is changed."""
