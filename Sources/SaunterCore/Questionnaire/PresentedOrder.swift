/// The orders in which a client showed what it had to shuffle, as it recorded them with a sheet.
package struct PresentedOrder: Sendable, Hashable {
    /// linkId -> codes of options, or linkIds of a group's children, in the order shown; sorted by linkId.
    package let json: JSONObject

    /// Checks what a client recorded. Of a shuffled item it names options or children, each once; those that were not
    /// shown may be left out.
    /// - Parameter pointer: where it stands in the body, for the faults.
    package init(_ orders: JSONObject, of index: QuestionnaireIndex, pointer: String = "/presented")
        throws(Faults)
    {
        var faults = GatheredFaults()
        var taken: [String: JSON] = [:]
        for order in orders {
            let here = "\(pointer)/\(Fault.escape(order.name))"
            guard let item = index.item(order.name), item.shuffle else {
                faults.add(here, "not_shuffled", "This is no item that is shown in a shuffled order.")
                continue
            }
            let known = Set(
                item.type == .group ? item.item.map(\.linkId) : item.answerOption.map(\.value.text))
            guard let elements = order.value.array, elements.count <= known.count else {
                faults.add(here, "wrong_type", "An order is a list that names each option or item once.")
                continue
            }
            let names = elements.map { element in
                element.string ?? element.int.map { String($0) } ?? ""
            }
            if !names.allSatisfy(known.contains) || Set(names).count < names.count {
                faults.add(here, "wrong_order", "An order names options or items of its own, each once.")
            }
            if taken.updateValue(.array(names.map(JSON.string)), forKey: order.name) != nil {
                faults.add(here, "duplicate_member", "This order is told twice.")
            }
        }
        try faults.check()
        json = JSONObject(sorting: taken) { $0 }
    }
}
