import SaunterCore
import SaunterStore

/// The response body for how the app of a study looks.
struct StudyBrandResponse {
    let study: Study
    let text: StudyText?

    /// - Parameter text: the texts in the language of the response.
    init(_ study: Study, text: StudyText?) {
        self.study = study
        self.text = text
    }

    var json: JSON {
        let brand = study.brand
        return [
            "short_name": .optional(text?.shortName, JSON.string),
            "accent": .optional(brand.accent) { .string($0.given.text) },
            "icon": address(brand.icon), "picture": address(brand.picture),
            "scheme": .optional(brand.schemeSetting, JSON.string),
            "schemes": .object(
                JSONObject(
                    brand.schemes.sorted { $0.key < $1.key }.map {
                        .init(name: $0.key, value: .string($0.value.given.text))
                    })),
        ]
    }

    private func address(_ picture: MediaFile?) -> JSON {
        .optional(picture) { .string("/media/\(study.code)/\($0.name)") }
    }

    static let schema = Schema.named(
        "Brand",
        .object([
            .required(
                "short_name", .nullable(.string()),
                "The name below the icon of the installed app; null if the study has none."),
            .required(
                "accent", .nullable(.string()),
                """
                The colour that the study chose, such as `#1e6a5b`. Text in this colour needs a contrast of 4.5:1, so \
                an app changes the lightness of the colour if necessary. Null if the study chose none.
                """),
            .required(
                "icon", .nullable(.string()),
                "The path of a square PNG file of at least 512 pixels; null if the study has no icon."),
            .required(
                "scheme", .nullable(.string()),
                """
                The setting with which participants choose the colours: `system`, `light`, `dark` or a member of \
                `schemes`; null if the study has none.
                """),
            .required("schemes", .map(of: .string()), "Value of that setting -> the accent."),
            .required(
                "picture", .nullable(.string()),
                "The path of a picture for the page of the study; null if there is none."),
        ]))
}
