import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What all readers of these documents do: count depth and size, and name elements without prefixes.
class WorkbookElements: NSObject, XMLParserDelegate {
    /// Why reading ended early.
    private(set) var refusal: String?
    private var depth = 0
    private var count = 0

    func begin(_ name: String, _ attributes: [String: String]) {}
    func end(_ name: String) {}
    func take(_ text: String) {}

    /// Ends reading after this element. The first reason stays.
    func refuse(_ reason: String) { refusal = refusal ?? reason }

    private static func plain(_ name: String) -> String {
        name.split(separator: ":").last.map(String.init) ?? name
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String]
    ) {
        // The parser may still tell of what it has read already.
        guard refusal == nil else { return }
        (depth, count) = (depth + 1, count + 1)
        if depth <= 64, count <= 2_000_000 {
            begin(Self.plain(elementName), attributeDict)
        } else {
            refuse("it has too many elements")
        }
        if refusal != nil { parser.abortParsing() }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        guard refusal == nil else { return }
        depth -= 1
        end(Self.plain(elementName))
        if refusal != nil { parser.abortParsing() }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { take(string) }
}
