import Testing

@testable import SaunterRecordings

@Suite struct XMLReaderTests {
    private func root(_ text: String) throws -> XMLElement {
        var reader = try XMLReader(.bytes(Array(text.utf8)))
        let first = try reader.child()
        let element = try reader.element(try #require(first))
        let second = try reader.child()
        #expect(second == nil)
        return element
    }

    @Test func `elements, attributes, text, comments and CDATA are read`() throws {
        let element = try root(
            """
            \u{FEFF}  <?xml version="1.0" encoding="UTF-8"?><!-- <a> -- >-->
            <x:a one = 'a &quot;b&quot; > c' y:two="&#x41;&#66;"><b/>t&amp;<![CDATA[<&]]]>ü<b>2</b ></x:a>
            """)

        #expect(element.name == "a")
        #expect(
            element.tag["one"] == "a \"b\" > c" && element.tag["two"] == "AB" && element.tag["three"] == nil)
        #expect(element.text == "t&<&]ü")
        #expect(element.children.map(\.text) == ["", "2"])
    }

    @Test func `a document type is skipped`() throws {
        let element = try root(
            """
            <!DOCTYPE a [<!ELEMENT a (b|c)*> <!-- ] > ' --> <!ATTLIST a x CDATA "]>"> <?p ]> ?>]>
            <a>1</a>
            """)
        #expect(element.text == "1")
    }

    @Test(arguments: [
        "<!ATTLIST b c CDATA #IMPLIED> d CDATA #IMPLIED>", "<!ATTLIST b c CDATA #IMPLIED <!ELEMENT d EMPTY>",
        "<>", ">",
    ])
    func `a document type may contain a malformed declaration, as in exports of Apple Health`(
        declaration: String
    ) throws {
        #expect(try root("<!DOCTYPE a [\n<!ELEMENT a (b)>\n\(declaration)\n] ><a>1</a>").text == "1")
        #expect(throws: RecordingFault.self) { try root("<!DOCTYPE a [\n\(declaration)\n<a>1</a>") }
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY e \"eeeeeeeeee\"><!ENTITY f \"&e;&e;&e;\">]><a>&f;</a>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a>&e;</a>", "<a>&nbsp;</a>",
        "<a>&#xD800;</a>",
        "<a>&#99999999999;</a>", "<a>& b</a>", "<a", "<a>", "<a><b></a>", "<a></b>", "<a b=\"<\"/>",
        "<a/><b/>", "a<a/>",
        "<1/>", "< a/>", "<a>\u{0}<", "<a><![CDATA[", "<!DOCTYPE a [", "<a><!DOCTYPE b></a>", "", "<!-- -->",
    ])
    func `invalid XML and declared entities are faults`(text: String) {
        #expect(throws: RecordingFault.self) {
            var reader = try XMLReader(.bytes(Array(text.utf8)))
            while let tag = try reader.child() { _ = try reader.element(tag) }
        }
    }

    @Test func `depth, elements and lengths are limited`() {
        for text in [
            String(repeating: "<a>", count: 100_000),
            "<a>" + String(repeating: "<b/>", count: 1001) + "</a>",
            "<a>" + String(repeating: "x", count: XMLReader.maximumLength + 1) + "</a>",
            "<a b=\"" + String(repeating: "x", count: XMLReader.maximumLength + 1) + "\"/>",
        ] {
            #expect(throws: RecordingFault.self) { try root(text) }
        }
    }

    @Test func `a skipped element is not stored, and its end is found`() throws {
        var reader = try XMLReader(
            .bytes(Array("<a><b>\(String(repeating: "x", count: 3 << 20))<c>&e;</c></b><d>1</d></a>".utf8)))
        _ = try reader.child()
        _ = try reader.child()
        try reader.skip()
        let next = try reader.child()
        let text = try reader.content()
        let end = try reader.child()

        #expect(next?.name == "d")
        #expect(text == "1")
        #expect(end == nil)
    }
}
