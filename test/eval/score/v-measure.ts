/**
 * V-measure of a clustering against labels (Rosenberg & Hirschberg, EMNLP-CoNLL 2007, section 2, beta = 1): harmonic mean of
 * homogeneity 1 - H(label | cluster) / H(label) and completeness 1 - H(cluster | label) / H(cluster), each 1 where
 * its divisor is 0. What joined no cluster (-1) counts as one cluster.
 */
export function vMeasure(labels: ArrayLike<number>, clusters: ArrayLike<number>): number {
  const both = new Map<string, number>();
  const ofLabel = new Map<number, number>();
  const ofCluster = new Map<number, number>();
  for (let i = 0; i < labels.length; i++) {
    count(both, `${labels[i]} ${clusters[i]}`);
    count(ofLabel, labels[i]!);
    count(ofCluster, clusters[i]!);
  }
  const label = entropy(ofLabel.values());
  const cluster = entropy(ofCluster.values());
  const joint = entropy(both.values());
  const homogeneity = label > 0 ? 1 - (joint - cluster) / label : 1;
  const completeness = cluster > 0 ? 1 - (joint - label) / cluster : 1;
  const sum = homogeneity + completeness;
  return sum > 0 ? (2 * homogeneity * completeness) / sum : 0;
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** In nats. */
function entropy(counts: Iterable<number>): number {
  const all = [...counts];
  const total = all.reduce((a, b) => a + b, 0);
  return all.reduce((sum, n) => sum - (n / total) * Math.log(n / total), 0);
}
