/**
 * V-measure of a clustering against truth (Rosenberg & Hirschberg, EMNLP-CoNLL 2007): harmonic mean of homogeneity
 * (a cluster has one label) and completeness (a label has one cluster), each 0 to 1.
 */
export function vMeasure(
  labels: readonly string[],
  clusters: readonly string[],
): { v: number; homogeneity: number; completeness: number } {
  const ofLabel = entropy(labels);
  const ofCluster = entropy(clusters);
  const joint = entropy(labels.map((label, i) => `${label}\n${clusters[i]!}`));
  // H(label | cluster) = H(both) - H(cluster), and the other way round.
  const homogeneity = ofLabel > 0 ? 1 - (joint - ofCluster) / ofLabel : 1;
  const completeness = ofCluster > 0 ? 1 - (joint - ofLabel) / ofCluster : 1;
  const sum = homogeneity + completeness;
  return { v: sum > 0 ? (2 * homogeneity * completeness) / sum : 0, homogeneity, completeness };
}

function entropy(names: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  let sum = 0;
  for (const n of counts.values()) sum -= (n / names.length) * Math.log(n / names.length);
  return sum;
}
