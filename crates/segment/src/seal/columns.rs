//! Writes columns to disk: values sorted, value ids packed.
//!
//! In: a builder's columns. Out: the directory of columns and their bytes. Limits: none of its own.

use crate::{
    active::{Column, builder::Builder},
    answers::column::Fixed,
    format::{
        columns::{Form, Kind},
        dictionary, numbers,
        ordinals::{self, width_of},
        postings, put_bytes, put_varint,
    },
    memory::{filled, recycle, with_capacity},
};

/// Reserved bytes for the columns of a document: rather too many, which costs nothing.
const DOCUMENT_BYTES: usize = 12;
/// Columns with fewer documents than one in this many have a list of their documents.
const SPARSE_SHARE: usize = 8;

/// Encodes all columns: the directory, then their bytes.
pub(super) fn encode(builder: &Builder) -> (Vec<u8>, Vec<u8>) {
    let mut directory = Vec::new();
    let mut data = with_capacity(builder.length as usize * DOCUMENT_BYTES);
    let columns = &builder.columns;
    let times = &columns.times;
    let numbers = [
        (Kind::Received, &times.received),
        (Kind::Event, &times.event),
        (Kind::Zone, &times.zone),
        (Kind::TextStart, &times.text_start),
        (Kind::TextTail, &times.text_tail),
    ];
    let mut count = 0;
    for (kind, numbers) in numbers {
        let start = data.len();
        numbers::encode(numbers, &mut data);
        directory.extend_from_slice(&[kind as u8, 0]);
        put_bytes(&mut directory, b"");
        put_entry(&mut directory, &[builder.length as usize, 0, 0, start, data.len() - start]);
        count += 1;
    }
    let fixed = Fixed::ALL
        .iter()
        .map(|fixed| (Kind::Fixed as u8 + *fixed as u8, 0, "", &columns.fixed[*fixed as usize]));
    let named = columns.named.iter();
    let named = named.map(|named| (Kind::Named as u8, named.kind as u8, named.name.as_str(), &named.column));
    for (code, kind, name, column) in fixed.chain(named).filter(|(.., column)| !column.value_ids.is_empty()) {
        let start = data.len();
        encode_column(column, builder.length, &mut data);
        directory.extend_from_slice(&[code, kind]);
        put_bytes(&mut directory, name.as_bytes());
        let (documents, distinct) = (column.value_ids.len(), column.values.len() as usize);
        put_entry(
            &mut directory,
            &[documents, distinct, usize::from(column.numeric), start, data.len() - start],
        );
        count += 1;
    }
    let mut whole = Vec::new();
    put_varint(&mut whole, count);
    whole.extend_from_slice(&directory);
    (whole, data)
}

fn put_entry(directory: &mut Vec<u8>, numbers: &[usize]) {
    numbers.iter().for_each(|number| put_varint(directory, *number as u64));
}

/// Form, dictionary, documents if they are listed, value ids.
fn encode_column(column: &Column, length: u32, data: &mut Vec<u8>) {
    let order = sorted(column);
    let mut stored_id_of = filled(0u32, order.len() + 1);
    for (index, id) in order.iter().enumerate() {
        stored_id_of[*id as usize + 1] = index as u32 + 1;
    }
    let distinct = order.len() as u32;
    assert!(column.value_ids.len() <= length as usize, "more values than messages");
    debug_assert!(
        column.value_ids.iter().all(|value_id| (1..=distinct).contains(value_id)),
        "a value id without a value"
    );
    let form = match column.value_ids.len() {
        documents if documents == length as usize => Form::Full,
        documents if documents < length as usize / SPARSE_SHARE => Form::Sparse,
        _ => Form::Dense,
    };
    data.push(form as u8);
    let mut values = dictionary::Encoder::default();
    for id in order {
        values.push(column.values.string(id));
    }
    values.finish().iter().for_each(|piece| data.extend_from_slice(piece));
    let value_ids = column.value_ids.iter().map(|value_id| stored_id_of[*value_id as usize]);
    match form {
        Form::Full => {
            let mut ordinals = with_capacity(column.value_ids.len());
            ordinals.extend(value_ids.map(|value_id| value_id - 1));
            ordinals::encode(&ordinals, width_of(distinct - 1), data);
            recycle(ordinals);
        }
        Form::Dense => {
            let mut dense = filled(0, length as usize);
            match column.listed() {
                Some(listed) => {
                    listed.iter().zip(value_ids).for_each(|(at, value_id)| dense[*at as usize] = value_id)
                }
                None => dense.iter_mut().zip(value_ids).for_each(|(slot, value_id)| *slot = value_id),
            }
            ordinals::encode(&dense, width_of(distinct), data);
            recycle(dense);
        }
        Form::Sparse => {
            let mut listed = Vec::new();
            let all: Vec<u32>;
            let documents = match column.listed() {
                Some(documents) => documents,
                None => {
                    all = (0..column.value_ids.len() as u32).collect();
                    &all
                }
            };
            postings::encode(documents, length, &mut listed);
            put_bytes(data, &listed);
            let ordinals: Vec<u32> = value_ids.map(|value_id| value_id - 1).collect();
            ordinals::encode(&ordinals, width_of(distinct - 1), data);
        }
    }
    recycle(stored_id_of);
}

/// The values in their order: by lower-cased bytes, then by bytes.
fn sorted(column: &Column) -> Vec<u32> {
    let prefix = |value: &[u8], from: usize| {
        let mut prefix = [0; 8];
        for (byte, lowered) in value.iter().skip(from).zip(&mut prefix) {
            *lowered = byte.to_ascii_lowercase();
        }
        u64::from_be_bytes(prefix)
    };
    let value = |id: u32| column.values.string(id);
    let lowered = |id: u32| value(id).iter().map(u8::to_ascii_lowercase);
    let mut order: Vec<(u64, u64, u32)> =
        (0..column.values.len()).map(|id| (prefix(value(id), 0), prefix(value(id), 8), id)).collect();
    // The first 16 bytes nearly always decide, without reading the text.
    order.sort_unstable_by(|a, b| {
        let prefixes = (a.0, a.1).cmp(&(b.0, b.1));
        prefixes.then_with(|| lowered(a.2).cmp(lowered(b.2))).then_with(|| value(a.2).cmp(value(b.2)))
    });
    order.into_iter().map(|(_, _, id)| id).collect()
}
