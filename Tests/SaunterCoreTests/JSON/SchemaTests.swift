import Testing

@testable import SaunterCore

@Suite struct SchemaTests {
    private static let account: Schema = .object([
        .required("email", .email), .required("password", .string(minLength: 12, maxLength: 128)),
        .optional("time_zone", .zone), .optional("age", .integer(min: 0, max: 150)),
        .optional("tags", .array(of: .string(values: ["a", "b"]), min: 1, max: 3)),
        .optional("note", .nullable(.string(maxLength: 5))),
    ])

    @Test(arguments: [
        #"{"email":"a@b.de","password":"correct horse"}"#,
        #"{"email":"a@b.de","password":"correct horse","age":1.0,"tags":["a","b"],"note":null,"time_zone":"Europe/Berlin"}"#,
        #"{"email":"o'neil@xn--bcher-kva.example","password":"🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑","age":1.5e1}"#,
    ])
    func `a valid value has no faults`(_ text: String) throws {
        #expect(Self.account.faults(in: try JSONReader.read(text)) == [])
    }

    @Test(arguments: [
        (#"[]"#, ["": "wrong_type"]),
        (#"{}"#, ["/email": "required", "/password": "required"]),
        (#"{"email":null,"password":"short"}"#, ["/email": "wrong_type", "/password": "too_short"]),
        (#"{"email":"a b@c.de","password":"correct horse"}"#, ["/email": "wrong_format"]),
        (#"{"email":"a@b.de","password":"correct horse","age":1.5}"#, ["/age": "not_whole"]),
        (#"{"email":"a@b.de","password":"correct horse","age":"1"}"#, ["/age": "wrong_type"]),
        (#"{"email":"a@b.de","password":"correct horse","age":-1}"#, ["/age": "below_minimum"]),
        (#"{"email":"a@b.de","password":"correct horse","age":151}"#, ["/age": "above_maximum"]),
        (#"{"email":"a@b.de","password":"correct horse","age":9007199254740993}"#, ["/age": "not_whole"]),
        (#"{"email":"a@b.de","password":"correct horse","tags":[]}"#, ["/tags": "too_few"]),
        (#"{"email":"a@b.de","password":"correct horse","tags":["a","a","a","a"]}"#, ["/tags": "too_many"]),
        (
            #"{"email":"a@b.de","password":"correct horse","tags":["a","c",1]}"#,
            ["/tags/1": "not_an_option", "/tags/2": "wrong_type"]
        ),
        (#"{"email":"a@b.de","password":"correct horse","note":"123456"}"#, ["/note": "too_long"]),
        (
            #"{"email":"a@b.de","password":"correct horse","time_zone":"GMT+2"}"#,
            ["/time_zone": "wrong_format"]
        ),
        (#"{"email":"a@b.de","password":"correct horse","e~m/l":1}"#, ["/e~0m~1l": "unknown_member"]),
    ])
    func `every fault has a pointer and a code`(_ text: String, _ expected: [String: String]) throws {
        let faults = Self.account.faults(in: try JSONReader.read(text))

        #expect(Dictionary(faults.map { ($0.pointer, $0.code) }) { first, _ in first } == expected)
        #expect(faults.count == expected.count)
    }

    @Test func `all faults are reported at once`() throws {
        let body = try JSONReader.read(#"{"emial":"a@b.de","password":"x","age":-1,"tags":["z"]}"#)

        let faults = Self.account.faults(in: body)

        #expect(faults.map(\.pointer) == ["/email", "/password", "/age", "/tags/0", "/emial"])
        #expect(faults.last?.detail == "There is no such member here. Did you mean email?")
    }

    @Test func `pointers begin with the pointer of the value`() {
        let faults = Schema.array(of: .boolean).faults(in: [true, 1], at: "/answers")

        #expect(faults.map(\.pointer) == ["/answers/1"])
    }

    @Test func `at most a hundred faults are reported`() {
        let faults = Schema.array(of: .boolean).faults(in: .array(Array(repeating: 1, count: 5000)))

        #expect(faults.count == 100)
        #expect(faults.last?.pointer == "/99")
    }

    @Test func `names that only look equal are different members`() throws {
        let schema = Schema.object([.required("caf\u{E9}", .boolean)])

        let faults = schema.faults(in: try JSONReader.read("{\"cafe\u{301}\":true}"))

        #expect(Set(faults.map(\.code)) == ["required", "unknown_member"])
    }

    @Test func `a number outside the range of Double is rejected`() throws {
        let faults = Schema.number(min: 0).faults(in: try JSONReader.read("1e400"))

        #expect(faults.map(\.code) == ["not_finite"])
    }

    @Test func `if no choice matches, the faults are those of the closest choice`() throws {
        let schema = Schema.anyOf([
            .object([.required("kind", .string(values: ["walk"])), .required("walk_id", .uuid)]), .boolean,
        ])

        #expect(schema.faults(in: true).isEmpty)
        #expect(schema.faults(in: ["kind": "walk"]).map(\.pointer) == ["/walk_id"])
    }

    @Test func `a map accepts any names, but checks the values`() {
        let faults = Schema.map(of: .integer()).faults(in: ["a": 1, "b": "2"])

        #expect(faults.map(\.pointer) == ["/b"])
    }

    @Test func `a schema can refer to itself`() throws {
        let faults = Self.item.faults(
            in: try JSONReader.read(#"{"linkId":"1","item":[{"linkId":"2","item":[{}]}]}"#))

        #expect(faults.map(\.pointer) == ["/item/0/item/0/linkId"])
    }

    private static var item: Schema {
        .named("Item", .object([.required("linkId", .string()), .optional("item", .array(of: Self.item))]))
    }

    @Test func `a long series is checked quickly`() {
        let series = JSON.array((0..<100_000).map { .double(Double($0) / 7) })
        let schema = Schema.object([
            .required("speed_kmh", .array(of: .nullable(.number(min: 0)), max: 100_000))
        ])

        let time = ContinuousClock().measure {
            #expect(schema.faults(in: ["speed_kmh": series]).isEmpty)
        }

        // About 60 ms in a debug build; quadratic work would take minutes.
        #expect(time < .seconds(5))
    }

    @Test(arguments: [
        ("10", Schema.integer(), JSON.int(10)), ("x", .integer(), "x"), ("1e2", .integer(), .string("1e2")),
        ("true", .boolean, true), ("TRUE", .boolean, "TRUE"), ("10", .string(), "10"),
        ("a,b", .array(of: .string()), .array(["a", "b"])), ("", .array(of: .string()), .array([""])),
        (" 1", .integer(), " 1"),
    ])
    func `a query text is converted by its schema`(_ text: String, _ schema: Schema, _ expected: JSON) {
        let value = schema.value(ofQueryText: text)

        #expect(value == expected || value.int != nil && value.int == Int(Double(text) ?? .nan))
    }
}
