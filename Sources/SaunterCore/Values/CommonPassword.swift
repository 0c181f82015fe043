import Foundation

/// Recognises passwords that attackers try first. `docs/decisions/0034-common-passwords-are-computed.md` explains why
/// there is no long list.
package enum CommonPassword {
    private static let minimumLength = 8
    private static let minimumDifferentCharacters = 5

    /// Whether the password is one of these, in any letter case:
    ///
    /// 1. fewer than five different characters, such as `11223344`;
    /// 2. a short text that is repeated, such as `abcdeabcde`;
    /// 3. at most three runs of neighbours in the alphabet, the digits or on a keyboard, such as `qwerty123`;
    /// 4. a common word with digits or punctuation around it, or instead of letters, such as `P4ssw0rd!2026`.
    package static func matches(_ password: String) -> Bool {
        let characters = Array(password.precomposedStringWithCanonicalMapping.lowercased())
        let unit = repeatedUnit(characters)
        if Set(unit).count < minimumDifferentCharacters { return true }
        if unit.count < characters.count, unit.count < minimumLength { return true }
        return isRunsOfNeighbours(unit) || isWord(unit)
    }

    /// The shortest beginning whose repetition gives the whole text. The last repetition may be incomplete.
    private static func repeatedUnit(_ text: [Character]) -> ArraySlice<Character> {
        guard text.count >= 2 else { return text[...] }
        let period = (1...text.count / 2).first { period in
            text.indices.allSatisfy { text[$0] == text[$0 % period] }
        }
        return text.prefix(period ?? text.count)
    }

    // MARK: Runs of neighbours

    /// Characters that are neighbours, in both directions.
    private static let rows = [
        "abcdefghijklmnopqrstuvwxyz", "01234567890", "!@#$%^&*()", "!\"§$%&/()=",
        "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiopü", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn",
        "1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "1q2w3e4r5t6y7u8i9o0p",
        "q1w2e3r4t5y6u7i8o9p0",
    ]
    private static let directedRows = rows.flatMap { [$0, String($0.reversed())] }
    private static let minimumRunLength = 3
    private static let maximumRuns = 3

    private static func isRunsOfNeighbours(_ text: ArraySlice<Character>) -> Bool {
        var rest = trimming(text) { !$0.isLetter && !$0.isNumber }
        if rest.count < minimumRunLength { rest = text }
        for _ in 1...maximumRuns {
            let length = directedRows.map { runLength(of: rest, in: $0) }.max() ?? 0
            guard length >= minimumRunLength else { return false }
            rest = rest.dropFirst(length)
            if rest.isEmpty { return true }
        }
        return false
    }

    /// The number of characters at the beginning of the text that are a part of the row.
    private static func runLength(of text: ArraySlice<Character>, in row: String) -> Int {
        guard let first = text.first, let start = row.firstIndex(of: first) else { return 0 }
        return zip(text, row[start...]).prefix { $0 == $1 }.count
    }

    // MARK: Words

    private static func isWord(_ text: ArraySlice<Character>) -> Bool {
        let core = trimming(text) { !$0.isLetter }
        let letters = String(core.map { substitutes[$0] ?? $0 }.filter(\.isLetter))
        return words.contains(letters)
    }

    private static func trimming(
        _ text: ArraySlice<Character>, _ isRemoved: (Character) -> Bool
    ) -> ArraySlice<Character> {
        var text = text.drop(while: isRemoved)
        while let last = text.last, isRemoved(last) { text.removeLast() }
        return text
    }

    /// The letters that these characters usually replace.
    private static let substitutes: [Character: Character] = [
        "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i", "€": "e",
    ]

    /// Words in the published lists of the most common passwords, without digits.
    private static let words = Set(
        """
        access adidas administrator admin adobe alexander amanda andrea andrew angel angels anthony apple april arsenal
        asdf ashley august austin autumn azerty babygirl bailey banana barcelona baseball basketball batman bayern
        bienvenue blessed bonjour buster butterfly camaro change changeme charlie cheese chelsea chicken chocolate
        computer contraseña contrasena cookie corvette cowboys daniel december default diamond dienstag donnerstag dragon
        eagles elephant example facebook family february ferrari fender flower football forever frankfurt freedom
        freitag friday friends fuckyou fussball futbol fußball geheim george ginger google guest guitar hallo hallowelt
        hamburg hannah harley haslo hello hellokitty helloworld herbst hockey hunter ichliebedich iloveyou internet
        january jasmine jennifer jessica jesus jesuschrist jetaime jordan joshua july june juventus killer lakers
        letmein liebling linkedin liverpool login love lovely loveme loveyou maggie march marina martin master matrix
        matthew mercedes merlin michael michelle microsoft mittwoch monday money monkey montag motdepasse mustang
        newyork nicole ninja november october orange parola pass passord passwd password passwort patrick pepper
        phoenix player please pokemon porsche prinzessin princesa princess purple qazwsx querty qwert qwerty qwertz
        rainbow ranger realmadrid research robert root salasana samantha samstag samsung saturday saunter schalke
        schatz schmetterling schokolade secret senha september shadow shalom silver snoopy soccer sommer sonnenschein
        sonntag spiderman spring starwars student studie study summer sunday sunflower sunshine superman survey
        sweetheart taylor tempassword temp temporary tequiero test testing teamo thomas thursday tigger trustno tuesday
        unknown user wachtwoord wednesday welcome welkom whatever william willkommen windows winter yankees yellow
        zxcvbn zxcvbnm
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
