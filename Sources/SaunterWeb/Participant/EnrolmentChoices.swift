import Foundation
import SaunterCore

/// The choices in forms about an enrolment, as templates show them.
enum EnrolmentChoices {
    /// All time zones.
    static func zones(selected: String) -> [[String: Any]] {
        TimeZone.knownTimeZoneIdentifiers.sorted().map { ["id": $0, "selected": $0 == selected] }
    }

    /// The languages of a study. The name of each language is in that language.
    /// - Parameter study: the response of `GET /v1/studies/{study}`.
    static func languages(of study: JSON, selected: String?) -> [[String: Any]] {
        (study["languages"]?.array ?? []).compactMap(\.string).map { code in
            [
                "code": code,
                "name": Locale(identifier: code).localizedString(forLanguageCode: code) ?? code,
                "selected": code == selected,
            ]
        }
    }

    /// The data kinds of a study.
    /// - Parameter study: the response of `GET /v1/studies/{study}`.
    static func dataKinds(
        of study: JSON, isChecked: (_ code: String) -> Bool
    ) -> [[String: Any]] {
        (study["data_kinds"]?.array ?? []).map { kind in
            let code = kind["data_kind"]?.string ?? ""
            return [
                "kind": code, "title": kind["title"]?.string ?? code, "text": kind["text"]?.string ?? "",
                "checked": isChecked(code),
            ]
        }
    }
}
