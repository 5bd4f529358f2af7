"""Which page leaves main memory: policies for `VirtualMemory`."""
