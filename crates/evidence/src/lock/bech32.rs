//! Bech32, the spelling of age's keys.
//!
//! In: text, or a prefix and bytes. Out: the other. Limits: BIP 173's checksum; total.

/// The digits, 0 to 31.
pub(super) const DIGITS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const CHECKSUM_DIGITS: usize = 6;

/// The bytes of a text with this prefix, in either case but not in both.
pub(super) fn decode(text: &str, prefix: &str) -> Option<Vec<u8>> {
    let lower = text.to_ascii_lowercase();
    if text != lower && text != text.to_ascii_uppercase() {
        return None;
    }
    let digits = lower.strip_prefix(prefix)?.strip_prefix('1')?;
    let place = |digit: u8| DIGITS.iter().position(|known| *known == digit).map(|at| at as u8);
    let numbers: Vec<u8> = digits.bytes().map(place).collect::<Option<_>>()?;
    let data = numbers.len().checked_sub(CHECKSUM_DIGITS)?;
    let sum = checksum(prefix, &numbers);
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for number in &numbers[..data] {
        bits = 32 * bits + u32::from(*number);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (sum == 1 && count < 5 && bits == 0).then_some(bytes)
}

/// The text of bytes under a prefix, in lower case.
pub(super) fn encode(prefix: &str, bytes: &[u8]) -> String {
    let (mut bits, mut count, mut numbers) = (0u32, 0, Vec::new());
    for byte in bytes {
        bits = 256 * bits + u32::from(*byte);
        count += 8;
        while count >= 5 {
            count -= 5;
            numbers.push((bits >> count) as u8 & 31);
        }
        bits &= (1 << count) - 1;
    }
    if count > 0 {
        numbers.push((bits << (5 - count)) as u8 & 31);
    }
    let padded = [numbers.as_slice(), &[0; CHECKSUM_DIGITS]].concat();
    let sum = checksum(prefix, &padded) ^ 1;
    numbers.extend((0..CHECKSUM_DIGITS).map(|at| (sum >> (5 * (CHECKSUM_DIGITS - 1 - at))) as u8 & 31));
    let digits: String = numbers.iter().map(|number| char::from(DIGITS[usize::from(*number)])).collect();
    let text = format!("{prefix}1{digits}");
    debug_assert_eq!(decode(&text, prefix).as_deref(), Some(bytes), "it reads back as it was written");
    text
}

/// The checksum of digits under a prefix.
pub(super) fn checksum(prefix: &str, numbers: &[u8]) -> u32 {
    const GENERATORS: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    let high = prefix.bytes().map(|byte| byte >> 5);
    let low = prefix.bytes().map(|byte| byte & 31);
    let all = high.chain([0]).chain(low).chain(numbers.iter().copied());
    all.fold(1, |sum: u32, number| {
        let top = sum >> 25;
        let shifted = (sum & 0x01ff_ffff) << 5 ^ u32::from(number);
        let set = (0..).zip(GENERATORS).filter(|(bit, _)| top >> bit & 1 == 1);
        set.fold(shifted, |sum, (_, generator)| sum ^ generator)
    })
}
