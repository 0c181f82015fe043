import Crypto
import Foundation
import SaunterCore

/// How the pages of a study look: its colours and its icon.
struct StudyLook {
    /// The address of the style sheet with the colours; nil for Saunter's own.
    let styleSheet: String?
    /// The path of the icon; nil for Saunter's own.
    let icon: String?

    /// - Parameters:
    ///   - study: the response of `GET /v1/studies/{study}`.
    ///   - scheme: the colours that the participant has chosen in the settings; nil for none.
    init(_ study: JSON, scheme: String? = nil) {
        let brand = study["brand"]
        let chosen = scheme.flatMap { brand?["schemes"]?[$0] }
        styleSheet = (chosen ?? brand?["accent"])?.string.flatMap { RGBColour($0) }.map {
            AccentStyleSheet(AccentColour($0)).address
        }
        icon = brand?["icon"]?.string
    }
}

/// The style sheet with the accent colour of a study. It is computed from the colour alone, which is in its address
/// together with the digest of the text. So every server has every style sheet, and browsers keep it for ever.
struct AccentStyleSheet {
    /// The style sheet.
    let css: String
    /// `/assets/brand.1e6a5b.0a1b2c3d.css`.
    let address: String

    init(_ accent: AccentColour) {
        let (light, dark) = (Self.rule(accent.light), Self.rule(accent.dark))
        css = """
            :root{\(light)}
            @media (prefers-color-scheme:dark){:root:not([data-mode="light"]){\(dark)}}
            :root[data-mode="dark"]{\(dark)}
            @media print{:root:root{\(light)}}

            """
        let digest = Hex.encode(SHA256.hash(data: Data(css.utf8))).prefix(8)
        address = "/assets/brand.\(accent.given.text.dropFirst()).\(digest).css"
    }

    /// The style sheet with this address; nil for other addresses.
    init?(address: String) {
        let parts = address.split(separator: ".")
        guard parts.count == 4, let colour = RGBColour("#\(parts[1])") else { return nil }
        self.init(AccentColour(colour))
        guard self.address == address else { return nil }
    }

    private static func rule(_ colours: AccentColour.Colours) -> String {
        "--accent:\(colours.accent.text);--on-accent:\(colours.onAccent.text);--accent-soft:\(colours.accentSoft.text)"
    }
}
