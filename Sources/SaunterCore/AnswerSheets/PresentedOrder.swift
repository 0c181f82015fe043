/// The orders in which a client showed shuffled options and items, as the client recorded them with a sheet.
package struct PresentedOrder: Sendable, Hashable {
    /// linkId -> codes of options, or linkIds of a group's children, in the displayed order. It is sorted by linkId.
    package let json: JSONObject

    /// Validates the recorded orders. An order names options or children of a shuffled item, each at most once. It may
    /// omit those that were not shown.
    /// - Parameter pointer: the pointer to the orders in the body, for faults.
    package init(_ orders: JSONObject, of index: QuestionnaireIndex, pointer: String = "/presented")
        throws(Faults)
    {
        var faults = FaultCollector()
        var accepted: [String: JSON] = [:]
        for order in orders {
            let orderPointer = "\(pointer)/\(Fault.escape(order.name))"
            guard let item = index.item(order.name), item.shuffle else {
                faults.add(
                    orderPointer, "not_shuffled", "The questionnaire has no shuffled item of this name.")
                continue
            }
            let known = Set(
                item.type.hasOptions ? item.answerOption.map(\.value.text) : item.item.map(\.linkId))
            guard let elements = order.value.array, elements.count <= known.count else {
                faults.add(
                    orderPointer, "wrong_type",
                    "An order must be an array that names each option or item at most once.")
                continue
            }
            let names = elements.map { element in
                element.string ?? element.int.map { String($0) } ?? ""
            }
            if !names.allSatisfy(known.contains) || Set(names).count < names.count {
                faults.add(
                    orderPointer, "wrong_order",
                    "An order must name options or children of its item, each at most once.")
            }
            if accepted.updateValue(.array(names.map(JSON.string)), forKey: order.name) != nil {
                faults.add(orderPointer, "duplicate_member", "This order is given twice.")
            }
        }
        try faults.check()
        json = JSONObject(sorting: accepted) { $0 }
    }
}
