"""Networks: loading and running them."""
