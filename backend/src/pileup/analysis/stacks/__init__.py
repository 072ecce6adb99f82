"""Activity of threads by their stacks, and the queues that stacks show."""
