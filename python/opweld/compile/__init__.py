"""From a graph to a callable: Program, the cache, the engine, the module."""
