"""A data source for Spark 4: files in more than 500 encodings as data frames, read in parallel.

    import charpipe.spark

    charpipe.spark.register(spark)
    spark.read.format("charpipe").option("encoding", "gb18030").option("format", "csv").load("s3a://…/*.csv.gz")

The module needs pyspark and pyarrow; the rest of the package does not.
"""

from __future__ import annotations

import json

from pyspark.sql.datasource import DataSource

from . import files, partitions
from .options import OptionError, Options
from .reports import errors, metrics

__all__ = ["CharpipeDataSource", "OptionError", "errors", "metrics", "record_starts", "register"]


class CharpipeDataSource(DataSource):
    """The data source ``charpipe``."""

    # Options that a read or a write does not have to repeat.
    session_options: dict[str, str] = {}

    @classmethod
    def name(cls):
        return "charpipe"

    def schema(self):
        from .reader import infer_schema

        return infer_schema(self._options())

    def reader(self, schema):
        from .reader import Reader

        return Reader(schema, self._options())

    def writer(self, schema, overwrite):
        from .writer import Writer

        return Writer(schema, overwrite, Options({**self.session_options, **self.options}, is_writer=True))

    def _options(self):
        options = Options({**self.session_options, **self.options})
        options.paths = [options.absolute(path) for path in options.paths]
        if options.errors:
            options.errors = options.absolute(options.errors)
        return options


def register(spark):
    """Register the data source in a session.

    Files of S3 are accessed with the credentials and the endpoint of Hadoop's configuration at that time, which are
    ``spark.hadoop.fs.s3a.access.key`` and others of the session.
    """

    # A local class is pickled as a whole, so that tasks have the options.
    class Configured(CharpipeDataSource):
        session_options = _session_options(spark)

    spark.dataSource.register(Configured)


def _session_options(spark):
    values = {name: spark.conf.get(f"spark.hadoop.{name}", None) for name in files.S3A_NAMES}
    return {name: value for name, value in values.items() if value is not None}


def record_starts(spark, path, **options):
    """Find with a job of Spark where the records of CSV with ``multiLine`` begin in large files.

    The result is the value of the option ``recordStarts``. Without it the driver reads all files that are split, before
    the tasks start. ``options`` must be those of the reader.
    """
    paths = {"paths": json.dumps([path] if isinstance(path, str) else list(path))}
    parsed = Options({**_session_options(spark), **options, **paths, "format": "csv", "multiLine": "true"})
    parsed.paths = [parsed.absolute(path) for path in parsed.paths]
    found = files.find(parsed.paths, parsed.filesystem, is_recursive=parsed.is_recursive)
    work = partitions.spans(found, parsed)

    # A data source and not a function over rows, for which Spark needs pandas.
    class Scans(DataSource):
        @classmethod
        def name(cls):
            return "charpipe_record_starts"

        def schema(self):
            return "index long, result string"

        def reader(self, schema):
            return partitions.ScanReader(work, parsed)

    spark.dataSource.register(Scans)
    results = spark.read.format(Scans.name()).load().collect()
    scans = {}
    for row in sorted(results, key=lambda row: row["index"]):
        scans.setdefault(work[row["index"]][0].uri, []).append(json.loads(row["result"]))
    return json.dumps(scans)
