//! Sessions of MySQL servers: whatever they say, a login ends, and a row has as many values as there are columns.

use std::io::Cursor;
use tokio::{
    io::{join, sink},
    runtime::Builder,
};
use transport::sql::{
    SqlLogin,
    mysql::{Privacy, Session},
};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let login = SqlLogin {
        host: "localhost".to_owned(),
        port: 0,
        user: "me".to_owned(),
        password: "secret".to_owned(),
        database: "logs".to_owned(),
        tls: None,
    };
    let Ok(runtime) = Builder::new_current_thread().build() else { return };
    runtime.block_on(async {
        let stream = join(Cursor::new(bytes.to_vec()), sink());
        let Ok(mut session) = Session::greet(stream, &login, Privacy::Open).await else { return };
        let Ok(columns) = session.begin_rows("SELECT 1").await else { return };
        if columns.is_empty() {
            return;
        }
        while let Ok(Some(row)) = session.next_row(columns.len()).await {
            assert_eq!(row.len(), columns.len());
        }
    });
}
