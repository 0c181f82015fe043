extension AnswerReader {
    /// An integer or a decimal within the item's bounds.
    mutating func number(_ value: JSON, _ pointer: String) -> Answer? {
        guard let (answer, number) = anyNumber(value, pointer), isWithin(number, nil, pointer) else {
            return nil
        }
        return answer
    }

    /// A number without regard to bounds. More than 15 significant digits are refused, because a double would
    /// not give them back.
    mutating func anyNumber(_ value: JSON, _ pointer: String) -> (Answer, Double)? {
        guard case .number(let number) = value else {
            faults.add(pointer, "wrong_type", "This item takes a number.")
            return nil
        }
        return item.type == .integer ? whole(number, pointer) : decimal(number, pointer)
    }

    /// Names a fault where a number is out of bounds.
    /// - Parameter unit: of a quantity, that in which it was answered.
    mutating func isWithin(_ number: Double, _ unit: String?, _ pointer: String) -> Bool {
        let before = faults.count
        if let least = item.minValue, compare(number, unit, with: least).isLess {
            let bound = text(of: least)
            faults.add(pointer, "below_minimum", "The least value is \(bound).")
        }
        if let most = item.maxValue, compare(number, unit, with: most).isMore {
            let bound = text(of: most)
            faults.add(pointer, "above_maximum", "The greatest value is \(bound).")
        }
        return faults.count == before
    }

    /// A bound of a quantity counts in the first unit, whatever unit was answered. What is in no unit that can be
    /// compared goes by its number: its bound is 0.
    private func compare(
        _ number: Double, _ unit: String?, with bound: Double
    ) -> (isLess: Bool, isMore: Bool) {
        guard let unit, let first = item.unitOption.first, unit != first,
            let (own, other) = UCUMScale.amounts(
                Measure(value: number, unit: unit), Measure(value: bound, unit: first))
        else { return (number < bound, number > bound) }
        return (own < other, other < own)
    }

    /// With its unit where answers may be in another.
    private func text(of bound: Double) -> String {
        let unit = item.unitOption.count > 1 ? " \(item.unitOption[0])" : ""
        return JSON.double(bound).text + unit
    }

    private mutating func whole(_ number: JSONNumber, _ pointer: String) -> (Answer, Double)? {
        if let value = number.int { return (.integer(value), Double(value)) }
        if number.decimalDigits.isWhole {
            faults.add(
                pointer, "number_too_large", "Whole numbers are taken up to 9007199254740991 either way.")
        } else {
            faults.add(pointer, "not_whole", "This item takes a whole number.")
        }
        return nil
    }

    private mutating func decimal(_ number: JSONNumber, _ pointer: String) -> (Answer, Double)? {
        let decimal = number.decimalDigits
        guard let value = number.double, abs(value) <= 9_007_199_254_740_991 else {
            faults.add(pointer, "number_too_large", "Numbers are taken up to 9007199254740991 either way.")
            return nil
        }
        let before = faults.count
        if decimal.digits.count > Self.maximumDigits {
            faults.add(
                pointer, "too_many_digits", "At most \(Self.maximumDigits) significant digits are taken.")
        }
        let places = min(item.maxDecimalPlaces ?? Self.maximumDigits, Self.maximumDigits)
        if decimal.decimalPlaces > places {
            faults.add(pointer, "too_many_decimals", "At most \(places) decimal places are taken.")
        }
        guard faults.count == before else { return nil }
        // Minus zero is zero.
        return (.decimal(value == 0 ? 0 : value), value)
    }
}
