extension AnswerReader {
    /// An integer or a decimal. More than 15 significant digits are refused, because a double would not give
    /// them back.
    mutating func number(_ value: JSON, _ pointer: String) -> Answer? {
        guard case .number(let number) = value else {
            faults.add(pointer, "wrong_type", "This item takes a number.")
            return nil
        }
        let before = faults.count
        let answer = item.type == .integer ? whole(number, pointer) : decimal(number, pointer)
        guard let (answer, value) = answer else { return nil }
        if let least = item.minValue, value < least {
            faults.add(pointer, "below_minimum", "The least value is \(JSON.double(least).text).")
        }
        if let most = item.maxValue, value > most {
            faults.add(pointer, "above_maximum", "The greatest value is \(JSON.double(most).text).")
        }
        return faults.count == before ? answer : nil
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
