import SaunterCore
import Testing

@testable import SaunterPacks

/// Other values for a YAML file, and changed lists, with as few changed lines as possible.
@Suite struct YAMLChangeTests {
    private static let text = """
        # About the file
        title: Calm   # the title
        items:
          a: "First"
          b: Second
        list: [1, 2]
        """ + "\n"

    private static func changed(_ old: String?, _ values: JSON) throws -> String {
        try YAMLChange.text(old, file: "a.yaml", values: values)
    }

    private static func values(_ text: String) throws -> JSON {
        try YAMLDocument.json(text, name: "a.yaml")
    }

    @Test func `the same values leave every byte`() throws {
        let values: JSON = ["list": [1, 2], "title": "Calm", "items": ["b": "Second", "a": "First"]]
        #expect(try Self.changed(Self.text, values) == Self.text)
    }

    @Test func `single values change in place, and new keys are added`() throws {
        let values: JSON = [
            "title": "Quiet: here", "items": ["a": "First", "b": "2nd", "c": "Third"], "list": [1, 2],
        ]
        let text = try Self.changed(Self.text, values)

        #expect(
            text.hasPrefix("# About the file\ntitle: \"Quiet: here\"   # the title\nitems:\n  a: \"First\"\n")
        )
        #expect(
            try Self.values(text) == [
                "title": "Quiet: here", "items": ["a": "First", "b": "2nd", "c": "Third"], "list": [1, 2],
            ])
    }

    @Test func `a removed key or another length of a list writes the file again, below its first comments`()
        throws
    {
        for values in [
            ["title": "Calm", "items": ["a": "First"], "list": [1, 2]],
            ["title": "Calm", "items": ["a": "First", "b": "Second"], "list": [1, 2, 3]], [:],
        ] as [JSON] {
            let text = try Self.changed(Self.text, values)
            #expect(text.hasPrefix("# About the file\n"))
            #expect(try Self.values(text) == values)
        }
    }

    @Test func `elements in another order do not take over the comments of others`() throws {
        let text = "list:\n  - {code: a, n: 1}   # about a\n  - {code: b, n: 2}\n"
        let same: JSON = ["list": [["code": "a", "n": 1], ["code": "b", "n": 3]]]
        let moved: JSON = ["list": [["code": "b", "n": 2], ["code": "a", "n": 1]]]

        #expect(try Self.changed(text, same) == text.replacing("n: 2", with: "n: 3"))
        #expect(try Self.changed(text, moved) == "list:\n  - {code: b, n: 2}\n  - {code: a, n: 1}\n")
    }

    @Test(arguments: [
        "yes", "null", "12", "1.0.0", "17:00", " spaces ", "a: b", "# no comment", "- no list", "", "\"", "'",
        "&a *b",
        "Two\nlines", "Two\n\nlines\n", "\n first", "ä ß 😀", "[x]", "{y}", "tab\there", "end:", "%", "@",
    ])
    func `every text is read as it was written`(text: String) throws {
        let value: JSON = [
            "text": .string(text),
            "list": [.string(text), ["deep": .string(text), "more": [.string(text)]]],
            "short": ["a": .string(text)],
        ]
        let file = try YAMLBlock.file(value)

        #expect(try Self.values(file) == value, "\(file)")
        if !text.contains("\n") { #expect(try Self.values(YAMLBlock.flow(value)) == value) }
    }

    @Test func `empty values, numbers and booleans keep their kind`() throws {
        let value: JSON = [
            "a": [:], "b": [], "c": nil, "d": true, "e": 1.5, "f": [["x": []], ["y": [:]]], "1": "number",
            "true": "word",
        ]
        #expect(try Self.values(YAMLBlock.file(value)) == value)
    }

    // MARK: Lists

    private static func list(_ text: String, _ change: (inout YAMLListEditor) throws -> Void) throws -> String
    {
        var editor = YAMLListEditor(text, file: "study.yaml")
        try change(&editor)
        return editor.text
    }

    @Test(arguments: [
        ("any: [a, b, c]   # three\nx: 1\n", 1, "any: [a, c]   # three\nx: 1\n"),
        ("any: [a, b]\n", 1, "any: [a]\n"), ("any: [a, b]\n", 0, "any: [b]\n"),
        ("any: [ 'a, b' ]\n", 0, "any: [  ]\n"),
        (
            "any:\n  - a   # one\n  # about b\n  - {q: b, p: [1, 2]}\n\n# next\nx: 1\n", 0,
            "any:\n  # about b\n  - {q: b, p: [1, 2]}\n\n# next\nx: 1\n"
        ),
        ("any:\n  - a\n  - q: b\n    p: true\n\n# next\nx: 1\n", 1, "any:\n  - a\n\n# next\nx: 1\n"),
        ("any:\n- a\nx: 1\n", 0, "any:\n  []\nx: 1\n"), ("any:\n  - a", 0, "any:\n  []\n"),
    ])
    func `an element is removed, and all other lines stay`(text: String, index: Int, expected: String) throws
    {
        #expect(try Self.list(text) { try $0.change(elementAt: index, of: "any", to: nil) } == expected)
    }

    @Test(arguments: [
        ("any: [a, b]   # two\n", 0, "any: [{q: z}, b]   # two\n"),
        ("any:\n  - a   # gone\n  # about b\n  - b\n", 0, "any:\n  - {q: z}\n  # about b\n  - b\n"),
        ("any:\n  - a\n  - q: b\n    p: true\nx: 1\n", 1, "any:\n  - a\n  - {q: z}\nx: 1\n"),
    ])
    func `another element takes the place of one`(text: String, index: Int, expected: String) throws {
        let result = try Self.list(text) { try $0.change(elementAt: index, of: "any", to: .init("{q: z}")) }
        #expect(result == expected)
    }

    @Test func `an element that does not exist is a fault, and the text stays`() {
        var editor = YAMLListEditor("any: [a]\n", file: "study.yaml")
        #expect(throws: PackFaults.self) { try editor.change(elementAt: 1, of: "any", to: nil) }
        #expect(throws: PackFaults.self) { try editor.change(elementAt: 0, of: "other", to: nil) }
        #expect(editor.text == "any: [a]\n")
    }
}
