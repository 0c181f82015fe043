import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The base class of the readers of workbook documents. It limits depth and number of elements, and removes namespace
/// prefixes.
class WorkbookXMLReader: NSObject, XMLParserDelegate {
    /// Why reading ended early; nil if it did not.
    private(set) var rejection: String?
    private var depth = 0
    private var count = 0

    /// An element has started.
    func didStart(_ name: String, _ attributes: [String: String]) {}
    /// An element has ended.
    func didEnd(_ name: String) {}
    /// A piece of text was read; one text may arrive in several pieces.
    func didRead(_ text: String) {}

    /// Ends reading after this element. If it is called several times, the first reason is kept.
    func reject(_ reason: String) { rejection = rejection ?? reason }

    /// The name without its namespace prefix.
    private static func localName(_ name: String) -> String {
        name.split(separator: ":").last.map(String.init) ?? name
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String]
    ) {
        // After `abortParsing` the parser may still report elements that it has already read.
        guard rejection == nil else { return }
        (depth, count) = (depth + 1, count + 1)
        if depth > 64 {
            reject("the elements are nested too deeply")
        } else if count > 2_000_000 {
            reject("there are too many elements")
        } else {
            didStart(Self.localName(elementName), attributeDict)
        }
        if rejection != nil { parser.abortParsing() }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        guard rejection == nil else { return }
        depth -= 1
        didEnd(Self.localName(elementName))
        if rejection != nil { parser.abortParsing() }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { didRead(string) }
}
