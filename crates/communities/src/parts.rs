//! A graph that is not connected, part by part: nothing that is found in one part says anything about the others.
//!
//! Communities are seats, shared out among the parts by their edges (Sainte-Lague: the next seat goes to the part with the largest `edges / (2 seats +
//! 1)`). So a part has a community of its own once it has about half as many edges as a community has on average; two parts of a
//! hundred authors each are two communities, and thousands of pairs are none. A part without a seat is left alone: about its nodes the
//! graph says nothing that has to do with the communities, and no share is made up for them. `O(nodes + edges)`.

use crate::graph::Graph;
use merit_linalg::SparseMatrix;
use std::borrow::Cow;

/// A connected part that has communities.
#[derive(Clone, Debug)]
pub(crate) struct Part<'g> {
    /// Its nodes, in the order of the graph.
    pub nodes: Vec<usize>,
    /// Their edges.
    pub adjacency: Cow<'g, SparseMatrix>,
    /// How many communities it is to have.
    pub communities: usize,
}

/// The connected parts of a graph by their edges, those with the most first, as far as they can have one of `communities` seats.
#[derive(Clone, Debug)]
pub(crate) struct Parts<'g> {
    graph: &'g Graph,
    /// Nodes, sum of the weights, and how many communities can be distinguished at most.
    list: Vec<(Vec<usize>, f64, usize)>,
}

impl<'g> Parts<'g> {
    pub fn of(graph: &'g Graph, communities: usize) -> Self {
        let of_node = graph.components();
        let count = of_node.iter().max().map_or(0, |&last| last as usize + 1);
        let degrees = graph.degrees();
        let mut weights = vec![0.0; count];
        of_node.iter().zip(&degrees).for_each(|(&part, d)| weights[part as usize] += d);
        let mut order: Vec<usize> = (0..count).filter(|&part| weights[part] > 0.0).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        order.truncate(communities.max(1));
        let mut place = vec![usize::MAX; count];
        order.iter().enumerate().for_each(|(at, &part)| place[part] = at);
        let mut list: Vec<_> = order.iter().map(|&part| (Vec::new(), weights[part], usize::MAX)).collect();
        for (i, &part) in of_node.iter().enumerate() {
            if let Some(part) = list.get_mut(place[part as usize]) {
                part.0.push(i);
            }
        }
        list.iter_mut().for_each(|part| part.2 = part.0.len().div_ceil(2));
        Self { graph, list }
    }

    /// At most this many can be distinguished in a part, the `at`th of all.
    pub fn limit(&mut self, at: usize, most: usize) {
        self.list[at].2 = self.list[at].2.min(most);
    }

    /// Seats of each part, by Sainte-Lague and the limits.
    pub fn seats(&self, communities: usize) -> Vec<usize> {
        let mut seats = vec![0; self.list.len()];
        for _ in 0..communities {
            let claim = |at: usize| self.list[at].1 / (2 * seats[at] + 1) as f64;
            let open = (0..seats.len()).filter(|&at| seats[at] < self.list[at].2);
            match open.max_by(|&a, &b| claim(a).total_cmp(&claim(b)).then(b.cmp(&a))) {
                Some(at) => seats[at] += 1,
                None => break,
            }
        }
        seats
    }

    /// How many seats there are where the largest part has `count` and the others what their edges claim beside it.
    pub fn total_beside(&self, count: usize) -> usize {
        let Some((_, largest, _)) = self.list.first() else { return count };
        let price = largest / (2 * count.max(1) - 1) as f64; // of its last seat
        let others = self.list[1..].iter().map(|(_, weight, _)| ((weight / price + 1.0) / 2.0).floor() as usize);
        count + others.sum::<usize>()
    }

    /// The `at`th part with this many seats.
    pub fn part(&self, at: usize, communities: usize) -> Part<'g> {
        let nodes = self.list[at].0.clone();
        let adjacency = match nodes.len() == self.graph.nodes() {
            true => Cow::Borrowed(&self.graph.adjacency),
            false => Cow::Owned(submatrix(&self.graph.adjacency, &nodes)),
        };
        Part { nodes, adjacency, communities }
    }
}

/// The rows and columns `kept`, which rise, of a symmetric matrix.
pub(crate) fn submatrix(matrix: &SparseMatrix, kept: &[usize]) -> SparseMatrix {
    let mut place = vec![u32::MAX; matrix.rows()];
    kept.iter().enumerate().for_each(|(l, &i)| place[i] = l as u32);
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for &i in kept {
        let (others, weights) = matrix.col(i);
        for (&m, &value) in others.iter().zip(weights).filter(|(m, _)| place[**m as usize] != u32::MAX) {
            rows.push(place[m as usize]);
            values.push(value);
        }
        starts.push(rows.len());
    }
    SparseMatrix::from_compressed(kept.len(), starts, rows, values).expect("rows are sorted and indices in range")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeSet;

    /// Complete graphs of these sizes, side by side.
    fn cliques(sizes: &[usize]) -> Graph {
        let mut edges = EdgeSet::new(false);
        for (c, size) in sizes.iter().enumerate() {
            for i in 0..*size {
                (0..i).for_each(|j| edges.add(&format!("{c}-{i}"), &format!("{c}-{j}"), 1.0));
            }
        }
        edges.build("cliques", "edge list").unwrap()
    }

    #[test]
    fn seats_go_by_edges_and_limits() {
        let graph = cliques(&[4, 20, 10, 2]);
        let mut parts = Parts::of(&graph, 4);
        // 190, 45, 6 and 1 edges
        assert_eq!(parts.seats(4), [3, 1, 0, 0]);
        assert_eq!(parts.part(1, 1).nodes, (24..34).collect::<Vec<_>>());
        assert_eq!((parts.total_beside(1), parts.total_beside(3)), (1, 4));
        parts.limit(0, 1);
        parts.limit(1, 1);
        assert_eq!(parts.seats(3), [1, 1, 1, 0]);
        assert_eq!(Parts::of(&graph, 1).seats(1), [1]);
        assert_eq!(parts.part(0, 1).adjacency.nnz(), 380);
    }
}
