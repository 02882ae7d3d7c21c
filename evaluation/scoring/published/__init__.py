"""What scores were: their history, snapshots of leaderboards, and how both are cited."""
