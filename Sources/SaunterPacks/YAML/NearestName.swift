/// The end of a message about a misspelt name: `; did you mean "…"?` with the most similar known name. Empty if no
/// known name is similar.
func suggestion(for name: String, among known: [String]) -> String {
    nearestName(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
}

/// The known name that is most similar to a misspelt name. At most one third of the characters differ; otherwise nil.
private func nearestName(to name: String, among known: [String]) -> String? {
    let name = Array(name.lowercased().utf8.prefix(64))
    let ranked = known.prefix(200).map { (distance(name, Array($0.lowercased().utf8.prefix(64))), $0) }
        .min { $0.0 < $1.0 }
    guard let (distance, nearest) = ranked, distance * 3 <= max(name.count, nearest.utf8.count) else {
        return nil
    }
    return nearest
}

/// The Levenshtein distance in bytes.
private func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let above = row[j + 1]
            row[j + 1] = a == b ? diagonal : 1 + min(diagonal, above, row[j])
            diagonal = above
        }
    }
    return row[right.count]
}
