-- compatible
-- Finds what became of the tree of a session without reading what became of others.
create index runner_commands_trees on runner_commands (payload, id) where kind = 'remove_tree';
