import Foundation

extension Data {
    /// Base64url without padding (RFC 4648, section 5).
    package var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes base64url without padding. Returns nil for any other character, for padding, and for impossible lengths.
    package init?(base64URL text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45
                || byte == 95
        }
        guard isPlain, text.utf8.count % 4 != 1 else { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        self.init(base64Encoded: standard + padding)
    }
}
