import SaunterCore

extension Draft {
    /// Hands the conditions of questions on to what stood under them, which is shown only where they are. To be called when
    /// all conditions are sound, so that none of another item is lost with one that is not.
    /// - Parameter under: linkId -> the question that it stood under, which stands before it.
    mutating func handDown(under: [String: String]) {
        let words = ConditionWords(items: questionnaire.item)
        let left = Self.handDown(&questionnaire.item, under, words)
        remarks += left.map { linkId, outer in
            Remark(
                place: places[linkId] ?? place,
                detail: "\(linkId), and what stands under it, is shown even where \(outer) is not: "
                    + "the conditions of both have no words together")
        }
    }

    /// - Returns: what could not be joined with the question above it.
    private static func handDown(
        _ items: inout [Item], _ under: [String: String], _ words: ConditionWords
    ) -> [(linkId: String, outer: String)] {
        var left: [(linkId: String, outer: String)] = []
        var settled: [String: Item] = [:]
        for index in items.indices {
            let linkId = items[index].linkId
            if let outer = under[linkId].flatMap({ settled[$0] }), outer.isConditional {
                if let item = items[index].shown(with: outer, words) {
                    items[index] = item
                } else {
                    left.append((linkId, outer.linkId))
                }
            }
            settled[linkId] = items[index]
            left += handDown(&items[index].item, under, words)
        }
        return left
    }
}
