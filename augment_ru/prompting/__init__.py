"""What language models are asked, and how their replies are read."""
