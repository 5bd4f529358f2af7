"""The grammar of dates and times in English and Chinese; `memlab.dates` is its front."""
