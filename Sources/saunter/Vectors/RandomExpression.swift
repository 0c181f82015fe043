import SaunterCohort
import SaunterCore

/// Makes up well-typed expressions over given items.
struct RandomExpression {
    private static let maximumDepth = 3

    private(set) var numbers: SeededNumbers
    /// The names of items with one answer, by its type.
    private var single: [ExpressionType: [String]] = [:]
    /// The names of items with several answers, by their type.
    private var several: [ExpressionType: [String]] = [:]
    private var groups: [String] = []
    /// linkId -> the codes of a choice.
    private var codes: [String: [String]] = [:]

    /// - Parameters:
    ///   - items: the items that the expression can name, each with its repeating group.
    ///   - group: the repeating group whose instances the expression judges; nil outside of one.
    init(_ items: [(item: Item, group: String?)], inside group: String?, _ numbers: SeededNumbers) {
        self.numbers = numbers
        for (item, own) in items {
            if item.isRepeatingGroup {
                if item.linkId != group { groups.append(item.linkId) }
                continue
            }
            guard let type = item.expressionType else { continue }
            let isOutside = own != nil && own != group
            if isOutside, item.repeats { continue }
            if isOutside || item.repeats {
                several[type, default: []].append(item.linkId)
            } else {
                single[type, default: []].append(item.linkId)
            }
            if item.codes != nil { codes[item.linkId] = item.answerOption.map(\.value.text) }
        }
    }

    /// A condition.
    mutating func make() -> String { boolean(0) }

    private mutating func draw(_ texts: [String]?) -> String? { texts?.randomElement(using: &numbers) }

    private mutating func boolean(_ depth: Int) -> String {
        let isDeep = depth >= Self.maximumDepth
        switch Int.random(in: 0...(isDeep ? 5 : 9), using: &numbers) {
        case 0: return draw(single[.boolean]) ?? "true"
        case 1, 2: return "\(number(depth + 1)) \(comparison()) \(number(depth + 1))"
        case 3: return comparedMoments(depth)
        case 4: return comparedTexts()
        case 5: return membership(depth)
        case 6: return "(\(boolean(depth + 1)) and \(boolean(depth + 1)))"
        case 7: return "(\(boolean(depth + 1)) or \(boolean(depth + 1)))"
        case 8: return "not (\(boolean(depth + 1)))"
        case 9 where numbers.chance(0.2): return "count(\(boolean(depth + 1))) = 1"
        default: return numbers.chance(0.5) ? exists() : choice(depth) { $0.boolean($1) }
        }
    }

    private mutating func comparison() -> String { draw(["=", "!=", "<", "<=", ">", ">="]) ?? "=" }

    private mutating func exists() -> String {
        let names = Array(single.values.joined()) + Array(several.values.joined()) + groups
        return draw(names.sorted()).map { "exists(\($0))" } ?? "false"
    }

    private mutating func choice(
        _ depth: Int, _ part: (inout RandomExpression, Int) -> String
    ) -> String {
        "if(\(boolean(depth + 1)), \(part(&self, depth + 1)), \(part(&self, depth + 1)))"
    }

    private mutating func comparedMoments(_ depth: Int) -> String {
        switch Int.random(in: 0...2, using: &numbers) {
        case 0: return "\(time(depth + 1)) \(comparison()) \(time(depth + 1))"
        case 1:
            guard let one = draw(single[.instant]), let other = draw(single[.instant]) else { break }
            return "\(one) \(comparison()) max(\(other), \(one))"
        default: break
        }
        return "\(date(depth + 1)) \(comparison()) \(date(depth + 1))"
    }

    private mutating func comparedTexts() -> String {
        let sign = numbers.chance(0.5) ? "=" : "!="
        guard let name = draw(single[.text]) else { return "'a' \(sign) 'b'" }
        return "\(name) \(sign) '\(draw(codes[name]) ?? draw(["calm", "Café", "a"]) ?? "a")'"
    }

    private mutating func membership(_ depth: Int) -> String {
        if let list = draw(several[.number]), numbers.chance(0.4) { return "\(number(depth + 1)) in \(list)" }
        if let list = draw(several[.text]), numbers.chance(0.5) {
            return "'\(draw(codes[list]) ?? draw(["red", "a", "calm"]) ?? "a")' in \(list)"
        }
        if let list = draw(several[.date]), numbers.chance(0.4) { return "\(date(depth + 1)) in \(list)" }
        if let name = draw(single[.text]), let one = draw(codes[name]), let other = draw(codes[name]) {
            return "\(name) in ('\(one)', '\(other)')"
        }
        return "\(number(depth + 1)) in (1, \(number(depth + 1)), 3)"
    }

    private mutating func number(_ depth: Int) -> String {
        let isDeep = depth >= Self.maximumDepth
        switch Int.random(in: 0...(isDeep ? 3 : 9), using: &numbers) {
        case 0:
            return draw([
                "0", "1", "2", "2.5", "4", "0.1", "10", "123456789012345", "0.000123", "4000000", "4000001",
            ]) ?? "1"
        case 1, 2: return draw(single[.number]) ?? "3"
        case 3: return counted(depth)
        case 4: return "(\(number(depth + 1)) \(draw(["+", "-", "*", "/"]) ?? "+") \(number(depth + 1)))"
        case 5: return numbers.chance(0.3) ? large(depth) : "-(\(number(depth + 1)))"
        case 6: return "abs(\(number(depth + 1)))"
        case 7: return "\(draw(["sum", "mean", "min", "max"]) ?? "sum")(\(numberList(depth)))"
        case 8: return "(\(date(depth + 1)) - \(date(depth + 1)))"
        default: return choice(depth) { $0.number($1) }
        }
    }

    /// A number that needs more than 128 bits, or whose comparison does.
    private mutating func large(_ depth: Int) -> String {
        let factor = numbers.chance(0.5) ? "999999999999989" : "0.00000000000013"
        let product = "(\(factor) * \(factor) / 999999999999947 * \(number(depth + 1)))"
        return "(\(product) \(draw(["+", "-", "*", "/"]) ?? "*") \(product))"
    }

    private mutating func numberList(_ depth: Int) -> String {
        let list = draw(several[.number]) ?? number(depth + 1)
        return numbers.chance(0.5) ? list : "\(list), \(number(depth + 1))"
    }

    private mutating func counted(_ depth: Int) -> String {
        let names = Array(several.values.joined()) + groups + Array(single.values.joined())
        if numbers.chance(0.3), let name = draw(single[.text]) { return "length(\(name))" }
        return draw(names.sorted()).map { "count(\($0))" } ?? "2"
    }

    private mutating func date(_ depth: Int) -> String {
        let isDeep = depth >= Self.maximumDepth
        switch Int.random(in: 0...(isDeep ? 2 : 5), using: &numbers) {
        case 0:
            if numbers.chance(0.1) { return numbers.chance(0.5) ? "@9999-12-31" : "@0001-01-01" }
            return "@2026-12-\(Int.random(in: 10...25, using: &numbers))"
        case 1: return draw(single[.date]) ?? "today()"
        case 2: return "today()"
        case 3 where numbers.chance(0.3):
            return "(\(date(depth + 1)) \(numbers.chance(0.5) ? "+" : "-") 4000000)"
        case 3: return "(\(date(depth + 1)) \(numbers.chance(0.5) ? "+" : "-") \(number(depth + 1)))"
        case 4:
            let function = numbers.chance(0.5) ? "min" : "max"
            return "\(function)(\(draw(several[.date]) ?? date(depth + 1)), \(date(depth + 1)))"
        default: return choice(depth) { $0.date($1) }
        }
    }

    private mutating func time(_ depth: Int) -> String {
        let isDeep = depth >= Self.maximumDepth
        switch Int.random(in: 0...(isDeep ? 1 : 2), using: &numbers) {
        case 0: return "@\(Int.random(in: 10...19, using: &numbers)):15"
        case 1: return draw(single[.time]) ?? "@12:00"
        default: return "max(\(draw(several[.time]) ?? "@08:00"), \(time(depth + 1)))"
        }
    }
}
