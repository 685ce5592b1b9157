"""Overlapping communities of a graph of networkx: Zachary's karate club."""

import networkx

from merit_nmf import CommunityDetector

graph = networkx.karate_club_graph()
found = CommunityDetector(n_communities=2).fit(graph)

print("pure nodes", found.pure_nodes_)
for group in found.communities(threshold=0.4):
    print(len(group), "members:", sorted(group))

shares = found.memberships_  # a frame, indexed by the nodes
mixed = [node for node in found.nodes_ if 0.4 <= shares.loc[node].max() <= 0.6]
print("between both:", mixed)

club = [graph.nodes[node]["club"] == "Officer" for node in found.nodes_]
side = shares.to_numpy().argmax(axis=1) == 1
right = sum(a == b for a, b in zip(club, side))
print("as history has it:", max(right, len(club) - right), "of", len(club))
