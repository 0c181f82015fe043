import CMarkGFM
import Glibc

/// Markdown as plain text, for mails and notifications.
enum PlainText {
    /// The text without its markup. A text that cannot be parsed is returned as it is.
    static func of(markdown: String) -> String {
        let bytes = Array(markdown.utf8)
        let document = bytes.withUnsafeBytes { buffer in
            cmark_parse_document(
                buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, CMARK_OPT_DEFAULT)
        }
        guard let document else { return markdown }
        defer { cmark_node_free(document) }
        guard let plain = cmark_render_plaintext(document, CMARK_OPT_DEFAULT, 0) else { return markdown }
        defer { free(plain) }
        var text = String(cString: plain)
        while text.last == "\n" { text.removeLast() }
        return text
    }
}
