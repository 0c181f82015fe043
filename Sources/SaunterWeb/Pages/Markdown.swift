import CMarkGFM
import Glibc

/// Renders the Markdown of a pack as HTML. Raw HTML and unsafe addresses are left out.
enum Markdown {
    /// The HTML of a text. It is safe to insert into a page. Headings are one level lower, because the page has its own
    /// first heading.
    static func html(_ text: String) -> String {
        let bytes = Array(text.utf8)
        // The default options are the safe ones.
        let options = CMARK_OPT_DEFAULT
        let document = bytes.withUnsafeBytes { buffer in
            cmark_parse_document(buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, options)
        }
        guard let document else { return "" }
        defer { cmark_node_free(document) }
        lowerHeadings(of: document)
        guard let html = cmark_render_html(document, options, nil) else { return "" }
        defer { free(html) }
        return String(cString: html)
    }

    /// The paragraphs of a text without their markup, for a script that shows plain text.
    static func paragraphs(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        let document = bytes.withUnsafeBytes { buffer in
            cmark_parse_document(
                buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, CMARK_OPT_DEFAULT)
        }
        guard let document else { return [] }
        defer { cmark_node_free(document) }
        guard let plain = cmark_render_plaintext(document, CMARK_OPT_DEFAULT, 0) else { return [] }
        defer { free(plain) }
        return String(cString: plain).split(separator: "\n").map(String.init)
    }

    /// Lowers all headings, also those in quotations and lists.
    private static func lowerHeadings(of document: OpaquePointer) {
        guard let iterator = cmark_iter_new(document) else { return }
        defer { cmark_iter_free(iterator) }
        while true {
            let event = cmark_iter_next(iterator)
            if event == CMARK_EVENT_DONE { return }
            guard event == CMARK_EVENT_ENTER, let node = cmark_iter_get_node(iterator),
                cmark_node_get_type(node) == CMARK_NODE_HEADING
            else { continue }
            cmark_node_set_heading_level(node, min(6, cmark_node_get_heading_level(node) + 1))
        }
    }
}
