import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An element of an XML file with what stands in it. Names are without their namespace's prefix, which
/// every writer chooses as it likes.
final class XMLElements {
    let name: String
    let attributes: [String: String]
    fileprivate(set) var text = ""
    fileprivate(set) var children: [XMLElements] = []

    fileprivate init(name: String, attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    /// The first child of this name.
    subscript(name: String) -> XMLElements? {
        children.first { $0.name == name }
    }

    /// All children of this name.
    func all(_ name: String) -> [XMLElements] {
        children.filter { $0.name == name }
    }

    /// The first element of this name below this one, at any depth.
    func first(below name: String) -> XMLElements? {
        for child in children {
            if child.name == name { return child }
            if let found = child.first(below: name) { return found }
        }
        return nil
    }

    /// The text as a finite number.
    var number: Double? {
        Double(text.trimmingCharacters(in: .whitespacesAndNewlines)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Reads a file. Outer entities are not fetched, and a document nested deeper than any recording is
    /// refused.
    /// - Throws: `CommandFault`, with the line.
    static func read(_ data: Data) throws -> XMLElements {
        let builder = XMLBuilder()
        // Some exporters leave blanks before the declaration, which XML forbids.
        let start = data.firstIndex { $0 > 0x20 } ?? data.startIndex
        let parser = XMLParser(data: data[start...])
        parser.shouldProcessNamespaces = false
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        guard parser.parse(), let root = builder.root else {
            throw CommandFault("line \(parser.lineNumber): this is not a sound XML file")
        }
        return root
    }
}

/// Puts the elements together as the parser meets them.
private final class XMLBuilder: NSObject, XMLParserDelegate {
    private static let maximumDepth = 64

    private(set) var root: XMLElements?
    private var open: [XMLElements] = []

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String]
    ) {
        guard open.count < Self.maximumDepth else { return parser.abortParsing() }
        let name = elementName.split(separator: ":").last.map(String.init) ?? elementName
        let element = XMLElements(name: name, attributes: attributeDict)
        open.last?.children.append(element)
        open.append(element)
        if root == nil { root = element }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        open.last?.text += string
    }
}
