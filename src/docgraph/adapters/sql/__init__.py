"""What the SQL stores share: all but their dialects, connections and locks."""
