import SaunterCore
import Testing

@testable import SaunterPacks

/// Values that are set in place. Each expected text is complete, so a test also shows what stays.
@Suite struct YAMLEditorTests {
    private static func setting(_ pointer: String, _ value: JSON, in text: String) throws -> String {
        var editor = try YAMLEditor(text, file: "a.yaml")
        try editor.set(value, at: pointer)
        #expect(editor.value(at: pointer) == value)
        return editor.text
    }

    private static func fault(_ pointer: String, _ value: JSON, in text: String) throws -> YAMLEditFault {
        var editor = try YAMLEditor(text, file: "a.yaml")
        var found: YAMLEditFault?
        do {
            try editor.set(value, at: pointer)
        } catch {
            found = error
        }
        #expect(editor.text == text)
        return try #require(found)
    }

    static let styles: [(before: String, value: JSON, after: String)] = [
        // Plain
        ("a: one # why\nb: 2\n", "two words", "a: two words # why\nb: 2\n"),
        ("a: one two\n  three # why\nb: 2\n", "four", "a: four # why\nb: 2\n"),
        ("a: one\n\n  two\nb: 2\n", "three", "a: three\nb: 2\n"),
        ("a: 1.0.0   # version\n", "1.1.0", "a: 1.1.0   # version\n"),
        ("a: 14      # days\n", 21, "a: 21      # days\n"),
        ("a: true\n", false, "a: false\n"),
        ("a: 5h\n", "90m", "a: 90m\n"),
        ("a: über # ü\n", "Größe \u{1F6B6}", "a: Größe \u{1F6B6} # ü\n"),
        ("a: one", "two", "a: two"),
        // Single quotes
        ("a: 'it''s' # why\n", "it's new", "a: 'it''s new' # why\n"),
        ("a: 'x'\n", "two\nlines", "a: |-\n  two\n  lines\n"),
        // Double quotes
        ("a: \"17:00\"  # when\n", "18:30", "a: \"18:30\"  # when\n"),
        ("a: \"say \\\"x\\\" \\\\\" # why\n", "a \"b\" \\ c\td", "a: \"a \\\"b\\\" \\\\ c\\td\" # why\n"),
        ("a: \"one\n  two\" # why\nb: 1\n", "three", "a: \"three\" # why\nb: 1\n"),
        ("a: \"x\"\n", "one\ntwo", "a: \"one\\ntwo\"\n"),
        // Blocks
        ("a: |\n  one\n  two\n\nb: 1\n", "three\nfour\n", "a: |\n  three\n  four\n\nb: 1\n"),
        ("a: |-\n  one\n# comment\nb: 1\n", "new", "a: |-\n  new\n# comment\nb: 1\n"),
        ("a: >\n  one\n  two\nb: 1\n", "three\n", "a: |\n  three\nb: 1\n"),
        ("a: |\n  one\n\n  two\n", "x\n\ny\n", "a: |\n  x\n\n  y\n"),
        ("a: |\n  one\nb: 1\n", " indented", "a: \" indented\"\nb: 1\n"),
        ("a: x # why\nb: 1\n", "two\nlines\n", "a: | # why\n  two\n  lines\nb: 1\n"),
        ("a: | # why\n  one\nb: 1\n", "two\n", "a: | # why\n  two\nb: 1\n"),
        ("a: >+ # why\n  one\n\nb: 1\n", "two", "a: |- # why\n  two\n\nb: 1\n"),
        ("a: | # why\n  one\nb: 1\n", " two", "a: \" two\" # why\nb: 1\n"),
        // No value
        ("a:\nb: 1\n", "x", "a: x\nb: 1\n"),
        ("a: # why\nb: 1\n", "x", "a: x # why\nb: 1\n"),
        ("a: ~\n", "x", "a: x\n"),
    ]

    @Test(arguments: styles.indices)
    func `a value keeps its style and its comment if possible`(index: Int) throws {
        let (before, value, after) = Self.styles[index]

        #expect(try Self.setting("/a", value, in: before) == after)
    }

    @Test(arguments: [
        "yes", "NO", "null", "~", "true", "12", "1.5", "1e3", "17:00", "", " x", "x ", "a: b", "a #b", "a:",
        "- a",
        "? a", "#a", "*a", "!a", "|", ">", "%a", "@a", "`a", "'a", "\"a", "{a", "[a", ", a", "R&D", "a &b",
        "&b",
        "a\u{85}b", "a\u{2028}b", "a\u{FEFF}b", "tab\there", "two\nlines", "ends\n", "\n", "trailing \nspace",
        "a\r\nb",
        "\u{7F}", "---", "...", "a'b", "a\"b", "\\", "(text)", "Wie gut war Ihre Stimmung?", "日本語",
        "e\u{301}",
    ])
    func `any text is read back unchanged, in every style and in flow`(text: String) throws {
        for before in [
            "a: x\nb: 1\n", "a: 'x'\nb: 1\n", "a: \"x\"\nb: 1\n", "a: |\n  x\nb: 1\n", "a: >-\n  x\nb: 1\n",
        ] {
            let after = try Self.setting("/a", .string(text), in: before)
            #expect(after.hasSuffix("b: 1\n"), "\(before)")
        }
        for before in [
            "{a: x, b: 1} # why\n", "{a: 'x', b: 1} # why\n", "{a: \"x\", b: 1} # why\n",
            "{a: , b: 1} # why\n",
        ] {
            let after = try Self.setting("/a", .string(text), in: before)
            #expect(after.hasSuffix(", b: 1} # why\n"), "\(before)")
        }
        // As an element of a list, and as a new key with quotes if necessary.
        #expect(try Self.setting("/0", .string(text), in: "- x # why\n- 2\n").hasSuffix("- 2\n"))
        #expect(try Self.setting("/new", .string(text), in: "a: 1 # why\n").hasPrefix("a: 1 # why\nnew: "))
    }

    @Test func `values inside of flow maps and lists change, and nothing else`() throws {
        let text = "arms:\n  everybody: {title: Everybody, text: \"You, all\"} # why\nlist: [a, 'b', \"c\"]\n"

        #expect(
            try Self.setting("/arms/everybody/title", "All, of you", in: text)
                == text.replacing("title: Everybody", with: "title: \"All, of you\""))
        #expect(
            try Self.setting("/arms/everybody/text", "Nobody", in: text)
                == text.replacing("\"You, all\"", with: "\"Nobody\""))
        #expect(try Self.setting("/list/1", "it's", in: text) == text.replacing("'b'", with: "'it''s'"))
        #expect(try Self.setting("/list/2", "d", in: text) == text.replacing("\"c\"", with: "\"d\""))
    }

    @Test func `elements of lists of mappings are found by their index`() throws {
        let text =
            "schedules:\n- id: a   # first\n  slots:\n    - {open: \"17:00\"}\n- id: b\n  slots:\n    - {open: \"08:00\"} # early\n"

        #expect(
            try Self.setting("/schedules/1/slots/0/open", "09:15", in: text)
                == text.replacing("08:00", with: "09:15"))
        #expect(
            try Self.setting("/schedules/0/id", "evening", in: text)
                == text.replacing("id: a ", with: "id: evening "))
    }

    static let additions: [(before: String, pointer: String, after: String)] = [
        ("a: 1 # why\n", "/b", "a: 1 # why\nb: new\n"),
        ("a: 1", "/b", "a: 1\nb: new"),
        ("a: |\n  text\n\n# end\n", "/b", "a: |\n  text\nb: new\n\n# end\n"),
        (
            "a:\n  x: 1\n  y: 'it''s' # why\nb: 2\n", "/a/z",
            "a:\n  x: 1\n  y: 'it''s' # why\n  z: new\nb: 2\n"
        ),
        (
            "a:\n  x: {p: 1, q: [2, 3]} # why\nb: 2\n", "/a/z",
            "a:\n  x: {p: 1, q: [2, 3]} # why\n  z: new\nb: 2\n"
        ),
        (
            "a:\n  x:\n    - 1\n    - 2 # why\nb: 2\n", "/a/z",
            "a:\n  x:\n    - 1\n    - 2 # why\n  z: new\nb: 2\n"
        ),
        (
            "a:\n  x: {\n    p: 1, # one\n  }\nb: 2\n", "/a/z",
            "a:\n  x: {\n    p: 1, # one\n  }\n  z: new\nb: 2\n"
        ),
        ("- a: 1\n  b: 2\n- 3\n", "/0/c", "- a: 1\n  b: 2\n  c: new\n- 3\n"),
        ("a: {x: 1} # why\n", "/a/y", "a: {x: 1, y: new} # why\n"),
        ("a: {} # why\n", "/a/y", "a: {y: new} # why\n"),
        ("a: {x: {y: 1}}\n", "/a/x/z", "a: {x: {y: 1, z: new}}\n"),
        ("a: 1\n", "/b/c/0", "a: 1\nb:\n  c:\n    0: new\n"),
        ("a: {x: 1}\n", "/a/y/z", "a: {x: 1, y: {z: new}}\n"),
        ("a:\nb: 2\n", "/a/x", "a: {x: new}\nb: 2\n"),
        ("a: 1\n", "/two words", "a: 1\ntwo words: new\n"),
        ("a: 1\n", "/yes", "a: 1\n\"yes\": new\n"),
        ("a: 1\n", "/b~1c~0d", "a: 1\nb/c~d: new\n"),
        ("# only a comment\n", "/a", "# only a comment\na: new\n"),
        ("", "/a/b", "a:\n  b: new\n"),
        ("a: 1\r\nb: 2\r\n", "/c", "a: 1\r\nb: 2\r\nc: new\r\n"),
    ]

    @Test(arguments: additions.indices)
    func `a missing key is added at the end of its mapping`(index: Int) throws {
        let (before, pointer, after) = Self.additions[index]

        #expect(try Self.setting(pointer, "new", in: before) == after)
    }

    @Test func `CR LF stays, also around a block`() throws {
        let text = "a: |\r\n  one\r\n  two\r\nb: x # why\r\n"

        #expect(
            try Self.setting("/a", "three\nfour\n", in: text) == "a: |\r\n  three\r\n  four\r\nb: x # why\r\n"
        )
        #expect(try Self.setting("/b", "z", in: text) == "a: |\r\n  one\r\n  two\r\nb: z # why\r\n")
    }

    @Test func `several edits follow each other`() throws {
        var editor = try YAMLEditor("a: x\nb: {c: 1}\n", file: "a.yaml")

        try editor.set("a much longer text: with a colon", at: "/a")
        try editor.set("d", at: "/b/new")
        try editor.set(2, at: "/b/c")

        #expect(editor.text == "a: \"a much longer text: with a colon\"\nb: {c: 2, new: d}\n")
    }

    @Test func `values that exist are set together, with the result of one edit after the other`() throws {
        let text =
            "a: x # why\nb: {c: 1, d: \"two\"}\nlist:\n  - one\n  - e: y\ntext: |\n  one\n  two\nend: ~\n"
        let changes: [(value: JSON, pointer: String)] = [
            ("last", "/end"), (2, "/b/c"), ("new: value", "/a"), ("three", "/b/d"), ("1", "/list/0"),
            ("f", "/list/1/e"), ("four\nfive\n", "/text"),
        ]
        var single = try YAMLEditor(text, file: "a.yaml")
        for change in changes { try single.set(change.value, at: change.pointer) }
        var together = try YAMLEditor(text, file: "a.yaml")

        let isDone = together.setTogether(changes)
        #expect(isDone)

        #expect(together.text == single.text)
        #expect(together.value(at: "/list/1/e") == "f")
        try together.set("again", at: "/a")
        #expect(together.value(at: "/a") == "again")
    }

    @Test(arguments: [
        [("x", "/a"), ("y", "/a")], [("x", "/missing")], [("x", "/a"), ("y", "/b")], [("x", "")],
        [("two\nlines", "/b/c"), ("y", "/b/d")],
    ])
    func `values that cannot be set together change nothing, unless the result is exact`(
        changes: [(String, String)]
    ) throws {
        let text = "a: 1\nb: {c: 2, d: 3}\n"
        var editor = try YAMLEditor(text, file: "a.yaml")

        let isSet = editor.setTogether(changes.map { (value: .string($0.0), pointer: $0.1) })

        if isSet {
            for (value, pointer) in changes { #expect(editor.value(at: pointer) == .string(value)) }
        } else {
            #expect(editor.text == text)
        }
        #expect(isSet == changes.contains { $0.0.contains("\n") })
    }

    @Test func `what is not a single value of the file is a fault at its line, and nothing changes`() throws {
        let text = "a: x\nb:\n  - 1\n  - 2\nc: {d: 1}\n"

        #expect(try Self.fault("/b", "x", in: text).line == 3)
        #expect(try Self.fault("/c", "x", in: text).message.contains("a list or a mapping"))
        #expect(try Self.fault("/a/x", "y", in: text).message.contains("single value"))
        #expect(try Self.fault("/b/2", "y", in: text).message.contains("no element 2"))
        #expect(try Self.fault("/b/01", "y", in: text).message.contains("no element"))
        #expect(try Self.fault("", "y", in: text).message.contains("JSON Pointer"))
        #expect(try Self.fault("a", "y", in: text).message.contains("JSON Pointer"))
        #expect(try Self.fault("/a", ["x": 1], in: text).message.contains("a text, a number"))
        #expect(try Self.fault("/a", ["x"], in: text).message.contains("not a list"))
        #expect(try Self.fault("/a", "x\u{0}", in: text).message.contains("U+0000"))
    }

    @Test(arguments: [
        (
            "a: {l: [push, mail], b: 1}   # why\n", ["mail", "in_app"],
            "a: {l: [mail, in_app], b: 1}   # why\n"
        ),
        ("a: {l: []}\n", ["mail"], "a: {l: [mail]}\n"), ("a: {l: [mail]}\n", [], "a: {l: []}\n"),
        ("a:\n  l: ['x, y', b]\nc: 1\n", ["b", "x, y", "yes"], "a:\n  l: [b, 'x, y', \"yes\"]\nc: 1\n"),
        // No list yet.
        ("a: {b: 1}\n", ["mail"], "a: {b: 1, l: [mail]}\n"),
        ("a:\n  b: 1   # one\nc: 2\n", ["mail", "push"], "a:\n  b: 1   # one\n  l: [mail, push]\nc: 2\n"),
        ("a:\n  l:   # none\nc: 2\n", ["mail"], "a:\n  l: [mail]   # none\nc: 2\n"),
        ("c: 2\n", ["mail"], "c: 2\na:\n  l: [mail]\n"),
        // One element on each line.
        (
            "a:\n  l:\n    - push   # first\n    # about mail\n    - mail\n  # end\nc: 2\n",
            ["mail", "in_app", "push"],
            "a:\n  l:\n    # about mail\n    - mail\n    - in_app\n    - push   # first\n  # end\nc: 2\n"
        ),
        ("a:\n  l:\n  - push\n  - mail # m", ["mail"], "a:\n  l:\n  - mail # m\n"),
        ("a:\n  l:\n  - push\nc: 1\n", [], "a:\n  l:\n    []\nc: 1\n"),
    ])
    func `a list of single values gets other elements, and those that stay keep their comments`(
        text: String, elements: [String], expected: String
    ) throws {
        var editor = try YAMLEditor(text, file: "a.yaml")
        try editor.set(.array(elements.map(JSON.string)), at: "/a/l")
        #expect(editor.text == expected)
    }

    @Test(arguments: [
        "l: [push, # first\n  mail]\n", "l: [{a: 1}]\n", "l:\n  - push\n  - {a: 1}\n", "l: {a: 1}\n",
    ])
    func `a list of another layout or with other elements is a fault, and nothing changes`(text: String)
        throws
    {
        #expect(try Self.fault("/l", ["mail"], in: text).line == (text.hasPrefix("l:\n") ? 2 : 1))
    }

    @Test func `a file that cannot be read is not edited`() {
        #expect(throws: PackFaults.self) { try YAMLEditor("a: [1\n", file: "a.yaml") }
        #expect(throws: PackFaults.self) { try YAMLEditor("a: 1\na: 2\n", file: "a.yaml") }
    }

    @Test func `every value of every pack can be set to itself and to another text, and only it changes`()
        throws
    {
        var edits = 0
        for (path, text) in try RealPacks.study().files.sorted(by: { $0.key < $1.key })
        where path.hasSuffix(".yaml") {
            let root = try YAMLDocument.json(text, name: path)
            for (pointer, value) in Self.leaves(root, "").prefix(60) {
                var editor = try YAMLEditor(text, file: path)
                try editor.set(value.string == nil ? value : "Neue: Wörter", at: pointer)
                let lines = (text.split(separator: "\n").count, editor.text.split(separator: "\n").count)
                #expect(lines.1 <= lines.0, "\(path) \(pointer)")
                edits += 1
            }
            var all = try YAMLEditor(text, file: path)
            let values = Self.leaves(root, "").map { pointer, value in
                (value: value.string == nil ? value : "Neue: Wörter", pointer: pointer)
            }
            if !values.isEmpty {
                let isDone = all.setTogether(values)
                #expect(isDone, "\(path)")
                for (value, pointer) in values {
                    #expect(all.value(at: pointer) == value, "\(path) \(pointer)")
                }
            }
        }
        #expect(edits > 100)
    }

    private static func leaves(_ value: JSON, _ pointer: String) -> [(String, JSON)] {
        switch value {
        case .object(let object):
            object.flatMap { leaves($0.value, pointer + YAMLEditor.pointer([$0.name])) }
        case .array(let elements):
            elements.enumerated().flatMap { leaves($0.element, "\(pointer)/\($0.offset)") }
        default: [(pointer, value)]
        }
    }
}
