from typing import Sequence, Union

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter
from pyspark.sql.types import StructType

__all__ = ["CharpipeDataSource", "OptionError", "errors", "metrics", "record_starts", "register"]

class OptionError(ValueError):
    """An option that is unknown, or whose value is invalid."""

class CharpipeDataSource(DataSource):
    """The data source ``charpipe``."""

    session_options: dict[str, str]
    @classmethod
    def name(cls) -> str: ...
    def schema(self) -> StructType: ...
    def reader(self, schema: StructType) -> DataSourceReader: ...
    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter: ...

def register(spark: SparkSession) -> None:
    """Register the data source in a session."""

def record_starts(spark: SparkSession, path: Union[str, Sequence[str]], **options: object) -> str:
    """Find with a job of Spark where the records of CSV with ``multiLine`` begin in large files."""

def errors(spark: SparkSession, path: str, **options: object) -> DataFrame:
    """Return the table of errors that reads with the option ``errors`` have written."""

def metrics(spark: SparkSession, path: str, **options: object) -> DataFrame:
    """Return, for each file, the number of records, lines, malformed sequences and malformed records."""
