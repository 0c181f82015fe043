import Testing

@testable import SaunterCore

@Suite struct CommonPasswordTests {
    /// The most common passwords of at least eight characters in published lists, and usual variants.
    @Test(arguments: [
        "12345678", "123456789", "87654321", "11111111", "12121212", "11223344", "88888888", "00000000",
        "aaaaaaaa", "12341234", "abcd1234", "abc123456", "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "qazwsxedc",
        "qwertyuiop", "qwerty123", "qwerty12", "qwertz123", "asdfghjkl", "zxcvbnm123", "azerty123",
        "asdfasdf", "abcdeabcde", "qweasdzxc", "123qweasd", "!@#$%^&*", "password", "PASSWORD", "password1",
        "Password123", "P@ssw0rd", "pa$$w0rd", "P4ssw0rd!2026", "pa55w0rd", "passwort1", "Passwort!",
        "iloveyou", "i love you!", "1loveyou", "il0vey0u", "sunshine", "Sunshine2024", "princess1",
        "football", "baseball1", "superman", "trustno1", "letmein123", "letmein!!", "welc0me1", "Welcome123",
        "whatever", "starwars1", "computer", "internet", "jennifer", "michelle", "motdepasse",
        "contraseña1", "contrasen\u{0303}a1", "Sommer2026!", "January2026", "administrator", "changeme",
        "passwordpassword", "hellohello", "saunter2026",
    ])
    func `a common password is recognised`(_ password: String) {
        #expect(CommonPassword.matches(password))
    }

    @Test(arguments: [
        "correct horse battery", "correct horse", "long enough words", "yet another one", "a new one, 7f3a",
        "pa55-0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40", "Zt7#kqLw", "hJ5s9xQpB2", "passwordless future",
        "Ada mag Spaziergänge", "散歩は毎朝楽しいです", "dragonfly at dawn", "3141592653589793", "v8JxqR2m",
    ])
    func `another password is not`(_ password: String) {
        #expect(!CommonPassword.matches(password))
    }
}
