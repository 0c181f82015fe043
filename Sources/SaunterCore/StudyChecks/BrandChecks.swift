/// Checks how the app of a study looks: `brand` of a study, and the short name and the welcome in its texts.
extension StudyCheck {
    private static let iconSizes = 512...1024
    private static let maximumShortName = 12
    private static let maximumWelcomeSteps = 6

    mutating func checkBrand() {
        if let icon = study.brand.icon {
            let size = icon.pngSize
            if size == nil || size?.width != size?.height || !Self.iconSizes.contains(size?.width ?? 0) {
                faults.add(
                    "/brand/icon", "invalid_icon",
                    "An icon must be a square PNG file of 512 to 1024 pixels.")
            }
        }
        if study.brand.accent?.looksLikeFault == true {
            hints.add(
                "/brand/accent", "like_errors",
                "The accent resembles the red of errors. Participants could mistake a button for an error.")
        }
        if let item = study.brand.schemeSetting {
            let settings = study.settings.compactMap { study.questionnaire($0) }.flatMap(\.questions)
            if !settings.contains(where: { $0.linkId == item }) {
                faults.add(
                    "/brand/scheme", "unknown_setting", "No questionnaire of settings has this item.")
            }
        }
        let steps = study.languages.first.flatMap { study.text[$0] }?.welcome.count ?? 0
        for language in study.languages {
            guard let text = study.text[language] else { continue }
            check(text, welcomeSteps: steps, pointer: "/text/\(Fault.escape(language))")
        }
    }

    private mutating func check(_ text: StudyText, welcomeSteps: Int, pointer: String) {
        if let name = text.shortName, !(1...Self.maximumShortName).contains(name.count) {
            faults.add(
                "\(pointer)/short_name", "invalid_name",
                "A short name has 1 to \(Self.maximumShortName) characters, because it is below an icon.")
        }
        if text.welcome.count != welcomeSteps {
            faults.add(
                "\(pointer)/welcome", "unequal_length",
                "The welcome must have \(welcomeSteps) steps, as in the first language.")
        }
        if text.welcome.count > Self.maximumWelcomeSteps {
            faults.add(
                "\(pointer)/welcome", "too_many",
                "A welcome has at most \(Self.maximumWelcomeSteps) steps.")
        }
    }
}
