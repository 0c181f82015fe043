import Foundation
import Testing

@testable import SaunterCore

/// The accent colour of a study.
struct AccentColourTests {
    /// All hues in steps of 15 degrees, light, dark, strong and pale, and the ends of the scale.
    private static let colours: [RGBColour] =
        stride(from: 0.0, to: 360, by: 15).flatMap { hue in
            [0.05, 0.3, 0.5, 0.7, 0.95].flatMap { lightness in
                [0.0, 0.04, 0.15, 0.3].map {
                    OKLCHColour(lightness: lightness, chroma: $0, hue: hue).rgb
                }
            }
        } + ["#000000", "#ffffff", "#ffff00", "#ff0000", "#0000ff"].compactMap { RGBColour($0) }

    @Test func `text in every accent and on it has a contrast of 4.5 in both modes`() throws {
        let surfaces = [
            ["#faf9f6", "#ffffff", "#f1efea"], ["#131715", "#1b201e", "#252b28"],
        ].map { $0.compactMap { RGBColour($0) } }

        for given in Self.colours {
            let accent = AccentColour(given)
            for (colours, surfaces) in zip([accent.light, accent.dark], surfaces) {
                for surface in surfaces + [colours.accentSoft, colours.onAccent] {
                    #expect(colours.accent.contrast(with: surface) >= 4.5, "\(given.text) on \(surface.text)")
                }
            }
        }
    }

    @Test func `body text is readable on every soft fill`() throws {
        let text = try (#require(RGBColour("#1d2421")), #require(RGBColour("#ebefec")))

        for given in Self.colours {
            let accent = AccentColour(given)
            #expect(accent.light.accentSoft.contrast(with: text.0) >= 7)
            #expect(accent.dark.accentSoft.contrast(with: text.1) >= 7)
        }
    }

    @Test(arguments: ["#2f6f4e", "#6a4c93", "#1f6f8b", "#8a5a0b"])
    func `a colour that can be read is kept on light pages`(_ text: String) throws {
        let given = try #require(RGBColour(text))

        #expect(AccentColour(given).light.accent == given)
    }

    @Test func `a bright colour is darkened and keeps its hue`() throws {
        let yellow = try #require(RGBColour("#e0c000"))

        let light = AccentColour(yellow).light.accent

        let hues = (OKLCHColour(yellow).hue, OKLCHColour(light).hue)
        #expect(light != yellow && abs(hues.0 - hues.1) < 3, "\(light.text)")
    }

    @Test(arguments: [
        ("#a2271e", true), ("#d0342c", true), ("#2f6f4e", false), ("#7a3e6e", false), ("#8a8080", false),
    ])
    func `a colour like that of errors is recognised`(_ text: String, _ expected: Bool) throws {
        #expect(AccentColour(try #require(RGBColour(text))).looksLikeFault == expected)
    }

    @Test(arguments: ["1E6A5B", "#1E6A5", "#1E6A5G", "red", "", "#1E6A5B "])
    func `other texts are no colours`(_ text: String) {
        #expect(RGBColour(text) == nil)
    }

    /// CSS Color 4 states `red` as `oklch(0.62796 0.25768 29.234)`.
    @Test func `the conversion agrees with the specification`() throws {
        let colour = OKLCHColour(try #require(RGBColour("#ff0000")))

        #expect(abs(colour.lightness - 0.62796) < 0.0001)
        #expect(abs(colour.chroma - 0.25768) < 0.0001)
        #expect(abs(colour.hue - 29.234) < 0.01)
    }
}
