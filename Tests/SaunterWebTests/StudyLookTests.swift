import Foundation
import SaunterCore
import Testing

@testable import SaunterWeb

/// The colours of a study on its pages.
struct StudyLookTests {
    private static let accent = AccentColour(RGBColour("#2f6f4e")!)

    @Test func `a style sheet is found by its address, and by no other`() throws {
        let sheet = AccentStyleSheet(Self.accent)

        #expect(AccentStyleSheet(address: sheet.address)?.css == sheet.css)
        for wrong in [
            sheet.address.replacing("2f6f4e", with: "2f6f4f"), "/assets/brand.2f6f4e.00000000.css",
            "/assets/brand.2f6f4e.css", "/assets/base.css", "/assets/brand.x.00000000.css",
        ] {
            #expect(AccentStyleSheet(address: wrong) == nil, "\(wrong)")
        }
    }

    @Test func `the style sheet sets the accent of both modes`() {
        let css = AccentStyleSheet(Self.accent).css

        #expect(css.contains(":root{--accent:\(Self.accent.light.accent.text);"))
        #expect(css.contains(":root[data-mode=\"dark\"]{--accent:\(Self.accent.dark.accent.text);"))
    }

    @Test func `the surfaces for which accents are corrected are those of the style sheet`() {
        let css = Assets.embedded.first { $0.name == "base.css" }.map {
            String(decoding: $0.bytes, as: UTF8.self)
        }

        for surface in [AccentColour.lightSurface, AccentColour.darkSurface] {
            #expect(css?.contains("--sunken: \(surface.text);") == true, "\(surface.text)")
        }
    }

    @Test(arguments: [
        ("/login", "/login?lang=de"), ("/studies/x?lang=en", "/studies/x?lang=de"),
        ("/login?next=/my&lang=en", "/login?next=/my&lang=de"), ("/", "/?lang=de"),
    ])
    func `the address of a page in another language keeps its other values`(target: String, address: String) {
        #expect(VisitorLanguage.address(of: target, in: "de") == address)
    }
}
