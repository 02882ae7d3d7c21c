"""What systems wrote, input by input, with metrics and what is published of it: reads only."""
