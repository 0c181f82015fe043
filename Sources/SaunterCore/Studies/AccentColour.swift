import Foundation

/// A colour with 8 bits for each of red, green and blue.
package struct RGBColour: Sendable, Hashable {
    /// From 0 to 255.
    package let red, green, blue: UInt8

    /// Reads `#1E6A5B`; nil for any other form.
    package init?(_ text: String) {
        guard text.utf8.count == 7, text.hasPrefix("#"), text.dropFirst().allSatisfy(\.isHexDigit),
            let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        red = UInt8(value >> 16)
        green = UInt8(value >> 8 & 255)
        blue = UInt8(value & 255)
    }

    fileprivate init(linear: [Double]) {
        let bytes = linear.map { value -> UInt8 in
            let value = max(0, min(1, value))
            let encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055
            return UInt8((encoded * 255).rounded())
        }
        (red, green, blue) = (bytes[0], bytes[1], bytes[2])
    }

    /// `#1e6a5b`.
    package var text: String {
        "#"
            + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            .joined()
    }

    /// The contrast ratio of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio").
    package func contrast(with other: RGBColour) -> Double {
        let (light, dark) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (light + 0.05) / (dark + 0.05)
    }

    private var luminance: Double {
        zip(linear, [0.2126, 0.7152, 0.0722]).map { $0 * $1 }.reduce(0, +)
    }

    fileprivate var linear: [Double] {
        [red, green, blue].map { byte in
            let value = Double(byte) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
    }
}

/// A colour as lightness, chroma and hue in OKLab (Björn Ottosson, "A perceptual color space for image processing",
/// 2020). Colours with the same lightness look equally light.
package struct OKLCHColour: Sendable {
    /// From 0 (black) to 1 (white).
    package var lightness: Double
    /// 0 is grey.
    package var chroma: Double
    /// In degrees, from 0 to 360.
    package var hue: Double

    /// Creates a colour. Not every colour can be shown on a screen.
    package init(lightness: Double, chroma: Double, hue: Double) {
        self.lightness = lightness
        self.chroma = chroma
        self.hue = hue
    }

    /// Converts from red, green and blue.
    package init(_ colour: RGBColour) {
        let rgb = colour.linear
        let cone = [
            [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ].map { cbrt($0[0] * rgb[0] + $0[1] * rgb[1] + $0[2] * rgb[2]) }
        lightness = 0.2104542553 * cone[0] + 0.7936177850 * cone[1] - 0.0040720468 * cone[2]
        let a = 1.9779984951 * cone[0] - 2.4285922050 * cone[1] + 0.4505937099 * cone[2]
        let b = 0.0259040371 * cone[0] + 0.7827717662 * cone[1] - 0.8086757660 * cone[2]
        chroma = (a * a + b * b).squareRoot()
        let degrees = atan2(b, a) * 180 / .pi
        hue = degrees < 0 ? degrees + 360 : degrees
    }

    /// The colour in red, green and blue. If a screen cannot show it, the chroma is lowered until it can.
    package var rgb: RGBColour {
        var colour = self
        while colour.chroma > 0, !colour.linear.allSatisfy({ $0 >= -0.0001 && $0 <= 1.0001 }) {
            colour.chroma = max(0, colour.chroma - 0.002)
        }
        return RGBColour(linear: colour.linear)
    }

    private var linear: [Double] {
        let (a, b) = (chroma * cos(hue * .pi / 180), chroma * sin(hue * .pi / 180))
        let cone = [
            lightness + 0.3963377774 * a + 0.2158037573 * b, lightness - 0.1055613458 * a - 0.0638541728 * b,
            lightness - 0.0894841775 * a - 1.2914855480 * b,
        ].map { $0 * $0 * $0 }
        return [
            4.0767416621 * cone[0] - 3.3077115913 * cone[1] + 0.2309699292 * cone[2],
            -1.2684380046 * cone[0] + 2.6097574011 * cone[1] - 0.3413193965 * cone[2],
            -0.0041960863 * cone[0] - 0.7034186147 * cone[1] + 1.7076147010 * cone[2],
        ]
    }
}

/// The accent colour of a study: its buttons, links and selected answers. A pack names one colour, and the colours of
/// the light and of the dark pages follow from it. Text in these colours and on them has a contrast of at least 4.5:1.
package struct AccentColour: Sendable, Hashable {
    /// The colour that the pack names.
    package let given: RGBColour

    /// Creates the accent from the colour that the pack names.
    package init(_ given: RGBColour) {
        self.given = given
    }

    /// The colours of one mode.
    package struct Colours: Sendable, Hashable {
        /// Buttons, links and borders of selected answers.
        package let accent: RGBColour
        /// Text on the accent.
        package let onAccent: RGBColour
        /// The fill of selected answers.
        package let accentSoft: RGBColour
    }

    /// The minimum contrast of text (WCAG 2.2, success criterion 1.4.3).
    package static let minimumContrast = 4.5
    /// A stronger colour would distract from the text.
    private static let maximumChroma = 0.15
    /// The darkest surface of light pages: `--sunken` in base.css.
    package static let lightSurface = RGBColour("#f1efea")!
    /// The lightest surface of dark pages: `--sunken` in base.css.
    package static let darkSurface = RGBColour("#252b28")!
    /// The colour of errors in base.css, `--bad`.
    private static let fault = OKLCHColour(RGBColour("#a2271e")!)

    /// Light pages: the accent is darkened until it can be read.
    package var light: Colours {
        let given = OKLCHColour(given)
        var accent = limited(given, to: Self.maximumChroma)
        let soft = shade(of: given, lightness: 0.945, chroma: 0.022)
        let text = RGBColour("#ffffff")!
        while !isReadable(accent.rgb, on: Self.lightSurface, soft, and: text) { accent.lightness -= 0.005 }
        return Colours(accent: accent.rgb, onAccent: text, accentSoft: soft)
    }

    /// Dark pages: the accent is lightened until it can be read.
    package var dark: Colours {
        let given = OKLCHColour(given)
        var accent = limited(given, to: Self.maximumChroma)
        accent.lightness = max(accent.lightness, 0.78)
        let soft = shade(of: given, lightness: 0.31, chroma: 0.035)
        let text = shade(of: given, lightness: 0.22, chroma: 0.03)
        while !isReadable(accent.rgb, on: Self.darkSurface, soft, and: text) { accent.lightness += 0.005 }
        return Colours(accent: accent.rgb, onAccent: text, accentSoft: soft)
    }

    /// Whether participants could mistake the accent for the colour of errors.
    package var looksLikeFault: Bool {
        let given = OKLCHColour(given)
        let distance = abs(given.hue - Self.fault.hue)
        return given.chroma > 0.06 && min(distance, 360 - distance) < 20
    }

    private func isReadable(
        _ accent: RGBColour, on surface: RGBColour, _ soft: RGBColour, and text: RGBColour
    ) -> Bool {
        [surface, soft, text].allSatisfy { accent.contrast(with: $0) >= Self.minimumContrast }
    }

    private func limited(_ colour: OKLCHColour, to chroma: Double) -> OKLCHColour {
        OKLCHColour(lightness: colour.lightness, chroma: min(colour.chroma, chroma), hue: colour.hue)
    }

    private func shade(of colour: OKLCHColour, lightness: Double, chroma: Double) -> RGBColour {
        OKLCHColour(lightness: lightness, chroma: min(colour.chroma, chroma), hue: colour.hue).rgb
    }
}
