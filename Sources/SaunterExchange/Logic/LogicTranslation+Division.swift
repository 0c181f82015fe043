/// Divisions by what may be 0. By XPath they come to what is greater or less than every number, as the dividend is, or to no
/// number at all where both are 0; here they are blank. A quotient beside a value without such divisions can be written
/// nevertheless, because what a comparison with it comes to can be said of dividend and divisor.
extension LogicTranslation {
    /// A comparison of a quotient, of which the divisor may be 0; nil for anything else. What REDCap makes of it nobody
    /// says.
    func divided(
        _ sign: String, _ quotient: Logic, _ other: Logic, _ holds: Bool
    ) throws(LogicFault) -> String? {
        guard dialect == .xlsForm, case .binary("/", let dividend, let divisor) = quotient,
            !isNeverZero(divisor), hasOneZero(divisor),
            !mayDivideByZero(dividend), !mayDivideByZero(divisor), !mayDivideByZero(other)
        else { return nil }
        let zero = Logic.number("0")
        var beside = self
        beside.notZero.insert(divisor)
        // All others compare alike where there is no number.
        let isUnequal = sign == "!="
        let known = Logic.binary(
            "and", .binary("!=", divisor, zero), .binary(isUnequal ? "=" : sign, quotient, other))
        guard sign != "=", !isUnequal else { return try beside.truth(known, holds != isUnequal) }
        let endless = Logic.binary(
            "and", .binary("=", divisor, zero), .binary(sign.hasPrefix("<") ? "<" : ">", dividend, zero))
        return try beside.truth(.binary("or", known, endless), holds)
    }

    /// Whether a division by what may be 0 is anywhere in it.
    func mayDivideByZero(_ logic: Logic) -> Bool {
        switch logic {
        case .field, .own, .text, .number: false
        case .negative(let inner): mayDivideByZero(inner)
        case .call(_, let arguments): arguments.contains(where: mayDivideByZero)
        case .binary(let sign, let left, let right):
            sign == "/" && !isNeverZero(right) || mayDivideByZero(left) || mayDivideByZero(right)
        }
    }

    /// Whether its 0 has no sign, and is reckoned exactly there: an answer, or a sum of whole ones.
    private func hasOneZero(_ logic: Logic) -> Bool {
        switch logic {
        case .field, .own, .call("count-selected", _): true
        case .binary("+", let left, let right), .binary("-", let left, let right):
            isWhole(logic) && hasOneZero(left) && hasOneZero(right)
        case .number(let digits): Int(digits) != nil
        default: false
        }
    }
}
