"""What threads were doing, by their stacks."""
