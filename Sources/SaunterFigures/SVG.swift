import Foundation

/// An SVG drawing inside a page. Its user units are pixels, and its title is the accessible name.
package struct SVG {
    private let width: Double
    private let height: Double
    private let title: String
    private let description: String?
    private var body = ""

    /// Creates an empty drawing.
    /// - Parameter description: the finding in words, for people who do not see the drawing; nil for none.
    package init(width: Double, height: Double, title: String, description: String? = nil) {
        self.width = width
        self.height = height
        self.title = title
        self.description = description
    }

    /// Draws diagonal lines in a rectangle.
    package mutating func drawHatch(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, class name: String
    ) {
        guard width > 0, height > 0 else { return }
        var path = ""
        var offset = 0.0
        while offset < width + height {
            // The line x + y = offset, clipped to the rectangle.
            let from = (x: min(offset, width), y: max(0, offset - width))
            let to = (x: max(0, offset - height), y: min(offset, height))
            path += "M\(Self.number(x + from.x)) \(Self.number(y + from.y))"
            path += "L\(Self.number(x + to.x)) \(Self.number(y + to.y))"
            offset += 8
        }
        body += "<path class=\"\(name)\" d=\"\(path)\"/>"
    }

    /// Draws a filled rectangle; `hint` is its tooltip.
    package mutating func drawBox(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, class name: String, opacity: Double = 1,
        hint: String? = nil
    ) {
        let shade = opacity < 1 ? " fill-opacity=\"\(Self.number(opacity))\"" : ""
        let inside = hint.map { "><title>\(Markup.escaped($0))</title></rect>" } ?? "/>"
        body +=
            "<rect class=\"\(name)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(max(0, width)))\""
            + " height=\"\(Self.number(max(0, height)))\"\(shade)\(inside)"
    }

    /// Draws a line through points.
    package mutating func drawLine(_ points: [(x: Double, y: Double)], class name: String) {
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        body += "<polyline class=\"\(name)\" points=\"\(list)\"/>"
    }

    /// Draws a point; `hint` is its tooltip.
    package mutating func drawDot(_ x: Double, _ y: Double, class name: String, hint: String) {
        body +=
            "<circle class=\"\(name)\" cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"3\"><title>\(Markup.escaped(hint))</title></circle>"
    }

    /// Draws a text.
    /// - Parameter anchor: the part of the text that is at `x`: `start`, `middle` or `end`.
    package mutating func drawText(_ text: String, _ x: Double, _ y: Double, anchor: String = "middle") {
        body +=
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\">\(Markup.escaped(text))</text>"
    }

    /// The `svg` element.
    package var text: String {
        let name = Markup.escaped(title)
        return
            "<svg role=\"img\" aria-label=\"\(name)\" viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\""
            + " width=\"\(Self.number(width))\" height=\"\(Self.number(height))\"><title>\(name)</title>"
            + (description.map { "<desc>\(Markup.escaped($0))</desc>" } ?? "") + "\(body)</svg>"
    }

    /// Rounded to 0.1 pixel; 0 if the value is not finite.
    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let text = String(format: "%.1f", min(1e6, max(-1e6, value)))
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
