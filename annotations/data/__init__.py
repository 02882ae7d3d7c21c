"""What a corpus gives to those who take part: who reads its texts, by which agreement, in which files."""
