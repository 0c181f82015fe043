import Foundation

/// A small element of an XML file, with its content.
struct XMLElement {
    let tag: XMLTag
    var text = ""
    var children: [XMLElement] = []

    var name: String { tag.name }

    /// The first child of this name.
    subscript(name: String) -> XMLElement? {
        children.first { $0.name == name }
    }

    /// The first element of this name below this one, at any depth.
    func first(below name: String) -> XMLElement? {
        for child in children {
            if child.name == name { return child }
            if let found = child.first(below: name) { return found }
        }
        return nil
    }

    /// The text as a finite number.
    var number: Double? { Double(trimmed: text) }
}

extension Double {
    /// A finite number, with optional white space around it; nil for any other text.
    init?(trimmed text: String) {
        guard let value = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)), value.isFinite else {
            return nil
        }
        self = value
    }
}
