/// A number with one of the units of the item.
enum QuantityItem: NumberForm {
    static let properties: Set<ItemProperty> = [
        .repeats, .bounds, .decimalPlaces, .step, .units, .initial, .placeholder,
    ]

    /// Parses `{"value": 72.5, "unit": "kg"}`, or the number alone if the item has exactly one unit.
    static func read(_ value: JSON, _ pointer: String, by reader: inout AnswerReader) -> Answer? {
        let units = reader.item.unitOption
        if case .number = value, units.count == 1 {
            guard let number = reader.decimal(value, pointer), reader.isWithin(number, nil, pointer) else {
                return nil
            }
            return .quantity(Measure(value: number, unit: units[0]))
        }
        guard let members = value.object, let number = members["value"], let unit = members["unit"]?.string,
            members.count == 2
        else { return reader.wrongType(pointer, "an object with value and unit") }
        let read = reader.decimal(number, "\(pointer)/value")
        guard let index = units.firstIndex(where: { $0.utf8.elementsEqual(unit.utf8) }) else {
            reader.faults.add(
                "\(pointer)/unit", "not_a_unit",
                "This is not a unit of the item. The units are \(units.joined(separator: ", ")).")
            return nil
        }
        guard let read, reader.isWithin(read, unit, "\(pointer)/value") else { return nil }
        return .quantity(Measure(value: read, unit: units[index]))
    }

    static let slotKind = AnswerCodec.Slot.Kind.unit
    static func rowOptions(of item: Item) -> [String] { ["", Item.unitCode] }
    static func answer(to item: Item, rows: [RepeatedAnswer], text: String?) -> Answer? {
        guard let number = rows.first?.value.flatMap({ Double($0) }), let unit = rows.last?.value else {
            return nil
        }
        return .quantity(Measure(value: number, unit: unit))
    }

    static func expressionType(of item: Item) throws(ExpressionNameFault) -> ExpressionType {
        if item.hasMixedUnits {
            throw ExpressionNameFault(detail: "\(item.linkId) can be answered in several units")
        }
        return .number
    }

    static func redcap(_ item: Item) -> REDCapFieldType { ("text", "number") }
}
