"""TAC KBP, of 2015 and 2016."""
