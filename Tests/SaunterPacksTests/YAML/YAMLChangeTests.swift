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

    @Test func `a removed key and another length of a list change only their lines`() throws {
        for (values, expected) in [
            (
                ["title": "Calm", "items": ["a": "First"], "list": [1, 2]],
                Self.text.replacing("  b: Second\n", with: "")
            ),
            (
                ["title": "Calm", "items": ["a": "First", "b": "Second"], "list": [3, 2, 1]],
                Self.text.replacing("[1, 2]", with: "[3, 2, 1]")
            ),
            (["list": [2]], "# About the file\nlist: [2]\n"),
        ] as [(JSON, String)] {
            #expect(try Self.changed(Self.text, values) == expected)
        }
        let empty = try Self.changed(Self.text, [:])
        #expect(empty.hasPrefix("# About the file\n"))
        #expect(try Self.values(empty) == [:])
    }

    @Test func `elements move with their comments`() throws {
        let text = "list:\n  - {code: a, n: 1}   # about a\n  - {code: b, n: 2}\n"
        let same: JSON = ["list": [["code": "a", "n": 1], ["code": "b", "n": 3]]]
        let moved: JSON = ["list": [["code": "b", "n": 2], ["code": "a", "n": 1]]]

        #expect(try Self.changed(text, same) == text.replacing("n: 2", with: "n: 3"))
        #expect(
            try Self.changed(text, moved)
                == "list:\n  - {code: b, n: 2}\n  - {code: a, n: 1}   # about a\n")
    }

    /// A list of journeys with comments at every place.
    private static let journeys = """
        # The journeys, in order
        programmes:
          # The first one
          - code: control   # Stoic
            authors: [Epictetus]
            # In this order
            modules:
              - morning   # 5 minutes
              - evening
              # No practice for the night

          # About calm
          - {code: calm, modules: []}   # short

          - code: end
            text: |
              # no comment
              two lines
        # The end
        other: 1
        """ + "\n"

    @Test func `an element is removed, moved, changed and added, also in lists of elements`() throws {
        let values: JSON = [
            "programmes": [
                ["code": "end", "text": "# no comment\ntwo lines\n"],
                [
                    "code": "control", "authors": ["Epictetus", "Seneca"],
                    "modules": ["noon", "evening", "morning"],
                ],
                ["code": "new", "title": "A: b", "modules": ["x"], "deep": ["list": [["id": 1]]]],
            ], "other": 2,
        ]
        let text = try Self.changed(Self.journeys, values)

        #expect(try Self.values(text) == values)
        #expect(
            text.hasPrefix(
                """
                # The journeys, in order
                programmes:
                  - code: end
                    text: |
                      # no comment
                      two lines

                  # The first one
                  - code: control   # Stoic
                    authors: [Epictetus, Seneca]
                    # In this order
                    modules:
                      - noon
                      - evening
                      - morning   # 5 minutes
                      # No practice for the night

                  - code: new
                """ + "\n"))
        #expect(text.hasSuffix("\n# The end\nother: 2\n") && !text.contains("About calm"))
        // Line ends of Windows stay.
        let windows = try Self.changed(Self.journeys.replacing("\n", with: "\r\n"), values)
        #expect(windows.replacing("\r\n", with: "\n") == text)
    }

    @Test(
        arguments: [
            ("list:\n  - {n: 1}   # one\n", ["list": [["n": 1], ["n": 2]]]),
            ("list:\n  - {code: a}\n  - {code: a}\n", ["list": [["code": "a"]]]),
            ("list: [ # one\n  a, b]\n", ["list": ["b", "c", "a"]]),
            ("list: []\n", ["list": [["code": "a"]]]),
            ("list:\n  - - a\n    - b\n", ["list": [["b"]]]),
        ] as [(String, JSON)])
    func
        `a file whose elements have no names, or with another layout, is written again below its first comments`(
            text: String, values: JSON
        ) throws
    {
        let changed = try Self.changed("# Head\n" + text, values)
        #expect(changed.hasPrefix("# Head\n"))
        #expect(try Self.values(changed) == values)
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
