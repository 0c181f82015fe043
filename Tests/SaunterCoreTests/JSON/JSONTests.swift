import Testing

@testable import SaunterCore

@Suite struct JSONTests {
    @Test(arguments: [
        ("0", 0), ("-0", 0), ("1.0", 1), ("1e2", 100), ("12.50e1", 125),
        ("-9007199254740991", -9_007_199_254_740_991),
        ("9007199254740991.0", 9_007_199_254_740_991), ("90071992547409910e-1", 9_007_199_254_740_991),
        ("0e999999999999999999999999", 0),
    ])
    func `whole numbers are integers in every spelling`(literal: String, value: Int) throws {
        #expect(try JSONReader.read(literal).int == value)
    }

    @Test(arguments: [
        "0.5", "1e-1", "9007199254740992", "-9007199254740992", "9007199254740993", "9223372036854775808",
        "1e16", "1e400",
        "4503599627370496.3", "1.00000000000000000001", "9007199254740990.9999", "1e99999999999999999999",
        "-9223372036854775808",
    ])
    func `a number that is not whole or too large is not an integer`(literal: String) throws {
        #expect(try JSONReader.read(literal).int == nil)
    }

    @Test func `a number outside the range of Double has no double`() throws {
        #expect(try JSONReader.read("1e400").double == nil)
        #expect(try JSONReader.read("-1e400").double == nil)
        #expect(try JSONReader.read("1.7976931348623157e308").double == .greatestFiniteMagnitude)
    }

    @Test(
        arguments: [
            ("0", false, "", 0), ("-0.00", false, "", 0), ("120", false, "12", 1),
            ("-0.0120", true, "12", -3),
            ("1.5e-7", false, "15", -8), ("15E+2", false, "15", 2),
            ("1e99999999999999999999", false, "1", 1_000_000),
            ("1e-99999999999999999999", false, "1", -1_000_000), ("0.000", false, "", 0),
            ("100.00", false, "1", 2),
        ] as [(String, Bool, String, Int)])
    func `digits have no leading or trailing zeros`(
        literal: String, isNegative: Bool, digits: String, exponent: Int
    ) throws {
        let number = try #require(JSONReader.read(literal).number).decimalDigits

        #expect(number.isNegative == isNegative)
        #expect(String(decoding: number.digits, as: UTF8.self) == digits)
        #expect(number.exponent == exponent)
        #expect(number.decimalPlaces == max(0, -exponent))
        #expect(number.isWhole == (exponent >= 0))
    }

    @Test func `each accessor returns only its own kind`() {
        let values: [JSON] = [.null, true, 1, "a", [], [:]]

        #expect(values.map(\.isNull) == [true, false, false, false, false, false])
        #expect(values.map { $0.bool != nil } == [false, true, false, false, false, false])
        #expect(values.map { $0.int != nil } == [false, false, true, false, false, false])
        #expect(values.map { $0.double != nil } == [false, false, true, false, false, false])
        #expect(values.map { $0.string != nil } == [false, false, false, true, false, false])
        #expect(values.map { $0.array != nil } == [false, false, false, false, true, false])
        #expect(values.map { $0.object != nil } == [false, false, false, false, false, true])
        #expect(JSON.array([1])["a"] == nil)
    }

    @Test func `members are added, replaced and removed, and keep their order`() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = 3
        object["c"] = 4
        object["b"] = nil
        object["d"] = nil

        #expect(object == ["a": 3, "c": 4])
        #expect(object.names == ["a", "c"])
    }

    @Test func `equal dictionaries produce equal texts`() {
        let object = JSONObject(sorting: ["b": 1, "a": 2, "ä": 3, "B": 4], JSON.int)

        #expect(object.names == ["B", "a", "b", "ä"])
    }
}

extension JSON {
    fileprivate var number: JSONNumber? {
        guard case .number(let number) = self else { return nil }
        return number
    }
}
