"""The work of `agency chat`: lines that are typed or piped in, commands, messages on a thread."""
