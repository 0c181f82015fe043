import Testing

@testable import SaunterCore

@Suite struct SchemaWritingTests {
    @Test(arguments: [
        (Schema.any, "{}"), (.boolean, #"{"type":"boolean"}"#),
        (.integer(min: 1, max: 1000), #"{"type":"integer","minimum":1,"maximum":1000}"#),
        (.number(min: 0.5), #"{"type":"number","minimum":0.5}"#),
        (.email, #"{"type":"string","maxLength":254,"format":"email"}"#),
        (.string(minLength: 1, values: ["a", "b"]), #"{"type":"string","minLength":1,"enum":["a","b"]}"#),
        (.nullable(.string()), #"{"type":["string","null"]}"#),
        (.nullable(.string(values: ["a"])), #"{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]}"#),
        (
            .array(of: .boolean, min: 1, max: 3),
            #"{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":3}"#
        ),
        (.map(of: .boolean), #"{"type":"object","additionalProperties":{"type":"boolean"}}"#),
        (
            .object([.required("a", .boolean, "First."), .optional("b", .any)]),
            #"{"type":"object","properties":{"a":{"type":"boolean","description":"First."},"b":{}},"required":["a"],"additionalProperties":false}"#
        ),
    ])
    func `a schema is written as JSON Schema`(_ schema: Schema, _ expected: String) {
        var writer = SchemaWriter()

        #expect(writer.write(schema).text == expected)
    }

    @Test func `named schemas are written once and referred to`() {
        let fault: Schema = .named("Fault", .object([.required("code", .string())]))
        var writer = SchemaWriter()

        let written = writer.write(
            .array(of: .object([.required("a", fault), .required("b", .nullable(fault))])))

        let reference: JSON = ["$ref": "#/components/schemas/Fault"]
        #expect(written["items"]?["properties"]?["a"] == reference)
        #expect(written["items"]?["properties"]?["b"] == ["anyOf": [reference, ["type": "null"]]])
        #expect(writer.components.names == ["Fault"])
    }

    @Test func `a recursive schema is written once`() {
        var writer = SchemaWriter()

        _ = writer.write(Self.item)

        #expect(
            writer.components["Item"]?["properties"]?["item"]?["items"] == [
                "$ref": "#/components/schemas/Item"
            ])
    }

    private static var item: Schema {
        .named("Item", .object([.optional("item", .array(of: Self.item))]))
    }
}
